#include "engine/run_telling.h"

#include <nlohmann/json.hpp>

namespace teamster::engine {

hub::TellRun cancel_of(const std::string& run, const std::string& by) {
  return {run, "cancel", {{"by", by}, {"how", "terminal"}}};
}

hub::TellRun answer_to(const std::string& run, const std::string& question, Json body, const Speaker& speaker) {
  body["question"] = question;
  body["by"] = speaker.by;
  body["how"] = speaker.how;
  return {run, "answer", std::move(body)};
}

hub::TellRun decision_on(const std::string& run, const std::string& step, const std::string& decision,
                         const std::string& by) {
  return {run, "decide", {{"step", step}, {"decision", decision}, {"by", by}, {"how", "terminal"}}};
}

}  // namespace teamster::engine
