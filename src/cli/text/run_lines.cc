#include "cli/text/run_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "base/time.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunCommand;
using workflow::RunEvent;

// The one thing of an answer that says how it went.
std::string gist(const Json& answer) {
  if (!answer.is_object()) return {};
  for (const char* field : {"passed", "approved", "all_passed", "verification_passed", "all_clear"})
    if (const auto found = answer.find(field); found != answer.end() && found->is_boolean())
      return fmt::format("{} {}", field, found->get<bool>() ? "yes" : "no");
  const std::string status = raw_text_in(answer, "status");
  if (!status.empty()) return status;
  const std::string tag = raw_text_in(answer, "tag");
  return tag.empty() ? "" : fmt::format("tag {}", tag);
}

std::string of_event(const RunEvent& heard) {
  const std::string id = fmt::format("{}.{}", heard.step, heard.attempt);
  if (heard.kind == event::kDone) {
    const Json answer = heard.body.value("answer", Json());
    const std::string summary = answer.is_object() ? raw_text_in(answer, "summary") : "";
    const std::string outcome = gist(answer);
    return fmt::format("{} done{}{}{}{}", id, outcome.empty() ? "" : ", ", outcome, summary.empty() ? "" : ": ",
                       summary);
  }
  if (heard.kind == event::kFailed)
    return fmt::format("{} failed ({}): {}", id, raw_text_in(heard.body, "fault"), raw_text_in(heard.body, "error"));
  if (heard.kind == event::kTeamReady) return fmt::format("team {} is ready", raw_text_in(heard.body, "team"));
  if (heard.kind == event::kTeamGone) return fmt::format("team {} is gone", raw_text_in(heard.body, "team"));
  if (heard.kind == event::kCancelled) return fmt::format("cancelled by {}", raw_text_in(heard.body, "by"));
  if (heard.kind == event::kEnded)
    return fmt::format("{}{}{}", raw_text_in(heard.body, "status"),
                       raw_text_in(heard.body, "reason").empty() ? "" : ": ", raw_text_in(heard.body, "reason"));
  return {};
}

std::string of_command(const RunCommand& decided) {
  if (decided.kind == command::kTurn) {
    const std::string rung = raw_text_in(decided.body, "rung");
    return fmt::format("{} → {}{}", decided.id(), raw_text_in(decided.body, "member"),
                       rung.empty() ? "" : " (" + rung + ")");
  }
  if (decided.kind == command::kCheck)
    return fmt::format("{} runs: {}", decided.id(), raw_text_in(decided.body, "command").substr(0, 60));
  if (decided.kind == command::kNote)
    return fmt::format("accepted: {} still objects", raw_text_in(decided.body, "phase"));
  if (decided.kind == command::kRemind) {
    const std::string to = raw_text_in(decided.body, "to");
    const std::string question = raw_text_in(decided.body, "question");
    return to.empty() ? fmt::format("{} still waits for an answer: teamster inbox", question)
                      : fmt::format("nobody answered {} in time; {} is asked now: teamster inbox", question, to);
  }
  if (decided.kind == command::kWait)
    return fmt::format("{} waits {} s: {}", decided.id(), decided.body.value("ms", std::int64_t{0}) / 1000,
                       raw_text_in(decided.body, "why"));
  return {};
}

}  // namespace

std::vector<std::string> lines_of(const engine::Recorded& recorded) {
  std::vector<std::string> lines;
  const std::string time = to_iso8601(recorded.at).substr(11, 8);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{} {}", time, text.substr(0, text.find('\n'))));
  };
  add(of_event(recorded.record.event));
  for (const auto& each : recorded.record.commands) add(of_command(each));
  return lines;
}

std::string taken_up_line(const std::string& run, const workflow::RunState& state) {
  std::vector<std::string> open;
  for (const auto& [id, effect] : state.open) open.push_back(id);
  return fmt::format("run {} goes on{}{}", run, state.phase.empty() ? "" : " in " + state.phase,
                     open.empty() ? "" : ", with " + join(open, ", "));
}

}  // namespace teamster::cli
