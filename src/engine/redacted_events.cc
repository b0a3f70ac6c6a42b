#include "engine/redacted_events.h"

#include <nlohmann/json.hpp>

namespace teamster::engine {

namespace event = workflow::event;

workflow::RunEvent redacted(const Redaction& redaction, workflow::RunEvent heard) {
  if (auto* done = heard.as<event::Done>()) {
    done->answer = redaction.json(std::move(done->answer));
    done->note = redaction.json(std::move(done->note));
  } else if (auto* failed = heard.as<event::Failed>()) {
    failed->error = redaction.text(failed->error);
  } else if (auto* lost = heard.as<event::MemberLost>()) {
    lost->why = redaction.text(lost->why);
  } else if (auto* asked = heard.as<event::Asked>()) {
    asked->text = redaction.text(asked->text);
    asked->expertise = redaction.text(asked->expertise);
    for (auto& option : asked->options) option = redaction.text(option);
  }
  return heard;
}

}  // namespace teamster::engine
