#include "workflow/core/declining.h"

#include <algorithm>

#include "base/json_fields.h"
#include "workflow/core/dangerous_requests.h"

namespace teamster::workflow {
namespace {

// What is one of the options was written by whoever asks.
std::string said_to(const command::Ask& question, const event::Done& done) {
  const std::string answer = raw_text_in(done.answer, "answer");
  if (std::find(question.options.begin(), question.options.end(), answer) != question.options.end()) return {};
  std::string said = answer + "\n" + raw_text_in(done.answer, "feedback");
  if (done.note.is_string()) said += "\n" + done.note.get<std::string>();
  return said;
}

// Handles of many people are what was asked for.
bool sets_people(const Pinned& pinned, const std::string& step) {
  return std::any_of(pinned.workflow.phases.begin(), pinned.workflow.phases.end(),
                     [&](const Phase& phase) { return phase.id == step && phase.sets_people; });
}

}  // namespace

RunEvent unless_declined(const Pinned& pinned, const RunState& state, RunEvent event) {
  const auto* done = event.as<event::Done>();
  if (done == nullptr || !pinned.workflow.questions.declines) return event;
  const auto open = state.open.find(effect_id(event.step, event.attempt));
  const auto* question = open == state.open.end() ? nullptr : open->second.as<command::Ask>();
  if (question == nullptr || sets_people(pinned, event.step)) return event;
  const std::string why = danger_in(said_to(*question, *done));
  if (why.empty()) return event;
  event::Spoken spoken = done->spoken;
  if (!spoken.by) spoken.by = raw_text_in(done->answer, "by");
  return event_about(open->second, event::Declined{why, std::move(spoken)});
}

}  // namespace teamster::workflow
