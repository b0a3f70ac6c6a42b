#include "workflow/core/run_notes.h"

#include <algorithm>

#include "base/text.h"
#include "workflow/core/step_names.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kEscalationBytes = 200;

// The step that the member works on, or waits at.
std::string step_of_member(const RunState& state, const std::string& member, const std::string& otherwise) {
  for (const auto& [id, open] : state.open)
    if (const auto* turn = open.as<command::Turn>(); turn != nullptr && turn->member == member) return open.step;
  const auto paused = state.paused.find(member);
  return paused == state.paused.end() ? otherwise : paused->second.step;
}

std::string words_at(const Json& answer, const char* name) {
  const auto found = answer.is_object() ? answer.find(name) : answer.end();
  return answer.is_object() && found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void note_rung(RunState& state, const std::string& step, const char* level, const std::string& why) {
  std::string reason(beginning_of(why, kEscalationBytes));
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  state.escalated[step] = std::string(level) + "|" + reason;
}

void note_directive(RunState& state, const std::string& step, const command::Ask& asked, const Json& answer) {
  RunDirective directive{.question = asked.text, .answer = words_at(answer, "answer"), .by = words_at(answer, "by")};
  if (asked.gate) directive.answer = words_at(answer, "feedback");
  if (directive.answer.empty()) return;
  if (is_of_the_owner(step)) {
    const auto& options = asked.options;
    if (std::find(options.begin(), options.end(), directive.answer) != options.end()) return;
    directive.step = without(step, kStuck);
  } else if (!asked.from.empty()) {
    directive.step = step_of_member(state, asked.from, phase_of(step));
  } else {
    directive.step = step;
    directive.is_for_all = true;
  }
  state.directives.push_back(std::move(directive));
}

}  // namespace teamster::workflow
