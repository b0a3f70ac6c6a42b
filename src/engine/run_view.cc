#include "engine/run_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/session.h"
#include "base/json_fields.h"
#include "workflow/core/step_names.h"

namespace teamster::engine {
namespace {

namespace status = workflow::status;

// Effects that go on without a person.
bool works_by_itself(const workflow::RunCommand& open) { return !open.is<workflow::command::Ask>(); }

// Whose answer to the question is in the journal and waits for the engine. What was told before it was asked
// is no answer to it.
std::string told_by(const RunReading& reading, const std::string& question) {
  const auto asked = reading.attempts().find(question);
  const std::int64_t asked_n = asked == reading.attempts().end() ? 0 : asked->second.n;
  for (const auto& told : reading.unheard()) {
    const auto* answer = std::get_if<workflow::told::Reply>(&told.body);
    if (answer != nullptr && told.n > asked_n && answer->question == question)
      return answer->by.empty() ? "somebody" : answer->by;
  }
  return {};
}

// Back from the wait that is open, over the turns that failed with the provider's trouble and the waits between them.
void look_back(const RunReading& reading, const workflow::RunCommand& wait, Weather& weather) {
  for (std::int64_t attempt = wait.attempt - 1; attempt > 0; --attempt) {
    const auto found = reading.attempts().find(workflow::effect_id(wait.step, attempt));
    if (found == reading.attempts().end()) return;
    if (found->second.command.is<workflow::command::Wait>()) continue;
    const auto failed = found->second.ending.as<workflow::event::Failed>();
    if (!failed || !agent::is_weather(agent::fault_from_string(failed->fault))) return;
    weather.since = found->second.until;
    ++weather.tries;
  }
}

}  // namespace

bool RunView::has_ended() const { return listed.has_ended() || reading.state().has_ended(); }

bool RunView::is_held() const { return listed.is_driven(); }

std::string RunView::status() const {
  const workflow::RunState& state = reading.state();
  if (has_ended()) return state.has_ended() ? state.status : listed.status;
  if (!is_held()) return "interrupted";
  if (!state.ending.empty()) return "ending";
  const bool is_busy =
      std::any_of(state.open.begin(), state.open.end(), [](const auto& open) { return works_by_itself(open.second); });
  return !is_busy && !state.open.empty() ? "waiting" : status::kRunning;
}

std::vector<RunQuestion> RunView::questions() const {
  std::vector<RunQuestion> questions;
  if (has_ended()) return questions;
  for (const auto& [id, open] : reading.state().open) {
    const auto asks = open.as<workflow::command::Ask>();
    if (!asks) continue;
    const auto attempt = reading.attempts().find(id);
    questions.push_back({run(), open.step, open.attempt, *asks,
                         attempt == reading.attempts().end() ? std::nullopt : std::optional(attempt->second.since),
                         is_held(), told_by(reading, id), reading.state().people});
  }
  return questions;
}

std::vector<Weather> RunView::weather() const {
  std::vector<Weather> all;
  if (has_ended()) return all;
  for (const auto& [id, open] : reading.state().open) {
    const auto wait = open.as<workflow::command::Wait>();
    if (!wait) continue;
    Weather weather{.id = id, .why = wait->why};
    if (const auto begun = reading.attempts().find(id); begun != reading.attempts().end())
      weather.next = begun->second.since + std::chrono::milliseconds(wait->ms);
    look_back(reading, open, weather);
    all.push_back(std::move(weather));
  }
  return all;
}

std::string RunView::next() const {
  const std::string is = status();
  const auto asked = questions();
  const std::string answer =
      asked.empty() ? ""
                    : fmt::format("teamster {} {}", asked.front().is_gate() ? "approve" : "answer", asked.front().id());
  if (is == "interrupted")
    return (answer.empty() || !asked.front().told_by.empty() ? "" : answer + ", then ") +
           fmt::format("teamster resume {}", run());
  if (!answer.empty()) return answer;
  return has_ended() ? fmt::format("teamster report {}", run()) : fmt::format("teamster watch {}", run());
}

bool RunView::needs_a_person() const {
  const std::string is = status();
  if (has_ended() || is == status::kRunning) return false;
  const auto asked = questions();
  return std::any_of(asked.begin(), asked.end(), [](const auto& question) { return question.told_by.empty(); });
}

std::string RunView::lead_mode() const {
  namespace command = workflow::command;
  bool synthesizes = false;
  bool enforces = false;
  bool coordinates = false;
  for (const auto& [id, open] : reading.state().open) {
    const auto* ask = open.as<command::Ask>();
    const bool is_together = open.step.ends_with(workflow::kMerge) || open.step.ends_with(workflow::kAdvice);
    synthesizes = synthesizes || (open.is<command::Turn>() && is_together);
    enforces = enforces || open.is<command::Check>() || open.is<command::Commit>() || (ask != nullptr && ask->gate);
    coordinates = coordinates || open.is<command::MakeTeam>() || open.is<command::EndTeam>() ||
                  open.is<command::MakeTasks>() || open.is<command::FinishTask>() || open.is<command::Reply>();
  }
  return enforces ? "ENFORCE" : synthesizes ? "SYNTHESIZE" : coordinates ? "COORDINATE" : "OBSERVE";
}

}  // namespace teamster::engine
