// The part of Decision that hears what steps answer, has it proved, and lets it count.
#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/text.h"
#include "protocol/words/addresses.h"
#include "workflow/core/condition.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"
#include "workflow/core/stakeholders.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kAnswerToldBytes = 500;       // of an answer, to who has to do better
constexpr std::size_t kOutputToldBytes = 8 * 1024;  // of a check, to who has to mend what it found

// "unit_tests/errors" → the field of the field.
void set_field(Json& answer, const std::string& path, const Json& value) {
  const std::size_t slash = path.find('/');
  if (!answer.is_object()) answer = Json::object();
  if (slash == std::string::npos)
    answer[path] = value;
  else
    set_field(answer[path.substr(0, slash)], path.substr(slash + 1), value);
}

// "$output" in the fields that a failed proof sets.
Json with_output(Json value, const std::string& output) {
  if (value.is_string()) {
    if (value == "$output") return output;
    return value;
  }
  if (value.is_array() || value.is_object())
    for (auto& inner : value) inner = with_output(inner, output);
  return value;
}

std::string end_of(const std::string& text, std::size_t bytes) {
  return text.size() <= bytes ? text : "…" + text.substr(text.size() - bytes);
}

}  // namespace

void Decision::step_done() {
  const std::string& step = event_.step;
  const Phase* current = phase(phase_of(step));
  if (settled_->is<command::Retire>()) return;
  if (settled_->is<command::EndSubRun>()) return state_.phase.empty() ? go_on_when_all_are_gone() : void();
  if (step.ends_with(kDeclined)) return was_declined();
  if (step.find(kAgentQuestion) != std::string::npos && !is_of_the_owner(step)) return agent_answered(current);
  // Before the first phase only the owner can have been asked, and agents can have asked.
  if (current == nullptr) return is_of_the_owner(step) ? owner_decided(first_phase(), step) : void();
  if (is_of_the_owner(step)) return owner_decided(*current, step);
  if (step.ends_with(kProof)) return proved(*current, without(step, kProof));
  if (step.ends_with(kItemList)) return checklist_read(*current);
  if (step.ends_with(kTasks)) return make_tasks(*current, settled_->get<command::MakeTasks>().to + 1);
  if (step.ends_with(kTaskEnd)) return items_over(*current);
  if (step.ends_with(kAdvice)) return advised(*current, event_answer());
  if (step.ends_with(kTick)) {
    const std::string work = without(step, kTick);
    return item_over(*current, number_of_item(work), RunItem::Status::passed, entry_of(state_.gathered, work), "");
  }
  withdraw(step_of(step, kWeather));
  if (has_strayed(*current)) return;
  answer_given(*current, step, event_answer());
}

// Where each path has an owner, who has changed another's has not done its work: what it may not write was put back.
bool Decision::has_strayed(const Phase& target) {
  const auto* done = event_.as<event::Done>();
  const auto* turn = settled_->as<command::Turn>();
  if (done == nullptr || turn == nullptr || !done->strayed || turn->writes.empty()) return false;
  turn_failed(target, event_.step, "writes",
              fmt::format("these are not yours to change, and were put back: {}. You own {}",
                          beginning_of(join(done->strayed->paths, ", "), kOutputToldBytes),
                          beginning_of(join(turn->writes, ", "), kOutputToldBytes)));
  return true;
}

// Null when the answer is none.
const Trouble* Decision::trouble_in(const Phase& target, const Json& answer) const {
  if (target.kind != Phase::Kind::agent && target.kind != Phase::Kind::fanout) return nullptr;
  for (const auto& each : workflow_.trouble)
    if (holds(moment(target), each.when, answer)) return &each;
  return nullptr;
}

// What an agent says may have to be proved. What a person, a command or another run says counts as it is.
void Decision::answer_given(const Phase& target, const std::string& step, const Json& answer) {
  if (const Trouble* trouble = trouble_in(target, answer)) {
    const auto why = trouble->why.empty() ? Result<std::string>(dump_json(answer))
                                          : short_text(pinned_, moment_of(target, step, &answer), trouble->why);
    return turn_failed(target, step, trouble->fault, why ? *why : why.error().text());
  }
  const bool is_work =
      (target.kind == Phase::Kind::agent || target.kind == Phase::Kind::fanout) && step != step_of(target.id, kMerge);
  if (is_work && start_proof(target, step, answer)) return;
  if (target.sets_people && !set_people(target, answer)) return;
  accepted(target, step, answer, false);
}

// What a person says of the people around the run, if it can be understood; otherwise they are told what is wrong, and
// asked again. An owner that is not named stays; without one it is whoever answered.
bool Decision::set_people(const Phase& target, const Json& answer) {
  const auto text_at = [&](const char* name) { return raw_text_in(answer, name); };
  auto people = read_people(text_at("answer"), workflow_);
  if (!people) {
    command::Ask again{.text = "", .sets = kPeople};
    if (const auto* asked = settled_->as<command::Ask>()) again = *asked;
    const auto text = text_or_park(target, target.id, target.question->text);
    if (!text) return false;
    again.text = fmt::format("That could not be used: {}\n{}\n\n{}", people.error().what, people.error().next, *text);
    again.reminded = again.late = false;
    again.also.clear();
    emit(target.id, std::move(again));
    return false;
  }
  if (owner_of(*people).empty()) {
    const std::string by = handle_of(text_at("by"));
    (*people)[kOwner] = !owner_of(state_.people).empty() ? owner_of(state_.people) : by == kOperator ? "" : by;
  }
  emit_fact(command::SetPeople{.people = *std::move(people)});
  return true;
}

// A command that is not configured proves nothing.
bool Decision::start_proof(const Phase& target, const std::string& step, const Json& answer) {
  if (!target.check || !holds(moment(target), target.check->when, answer)) return false;
  const auto command = text_or_park(target, step, target.check->command, &answer);
  if (!command) return true;
  if (command->empty()) return false;
  if (auto shell = shell_command(target, step, *command, &answer))
    emit(step_of(step, kProof), command::Check{.shell = *std::move(shell)});
  return true;
}

void Decision::proved(const Phase& target, const std::string& step) {
  Json answer = entry_of(state_.gathered, step);
  if (value_at(event_answer(), "passed") == Json(true)) return accepted(target, step, answer, true);
  const Json printed = value_at(event_answer(), "output");
  const std::string output = printed.is_string() ? printed.get<std::string>() : "";
  if (target.check->then.empty())
    return turn_failed(target, step, "check",
                       trimmed(output).empty()
                           ? fmt::format("its check failed, and printed nothing: {}", target.check->command)
                           : fmt::format("its check failed. It printed:\n{}", end_of(output, kOutputToldBytes)));
  for (const auto& [path, value] : target.check->then) set_field(answer, path, with_output(value, output));
  accepted(target, step, answer, true);
}

void Decision::accepted(const Phase& target, const std::string& step, const Json& answer, bool is_changed) {
  const bool is_merge = step == step_of(target.id, kMerge);
  const Condition& pass = is_merge ? target.merge_pass : target.pass;
  if (const std::string wrong = first_failing(moment(target), pass, answer); !wrong.empty())
    return turn_failed(
        target, step, "incomplete",
        fmt::format("it has not passed: {}. It was {}", wrong, beginning_of(dump_json(answer), kAnswerToldBytes)));
  if (const std::string wrong = why_no_items(target, answer); !wrong.empty())
    return turn_failed(target, step, "incomplete", "nobody can work on what it lists: " + wrong);
  if (const std::int64_t number = number_of_item(step); number != 0) return item_passed(target, number, answer);
  settle(target, answer, is_changed);
}

// A person said that a step is not to be done: what it would have answered is nothing.
void Decision::skipped(const Phase& target, const std::string& step) {
  const std::string work = without(without(step, kProof), kTick);
  if (const std::int64_t number = number_of_item(work); number != 0) {
    const Json answer = entry_of(state_.gathered, work);
    if (step == work) return item_over(target, number, RunItem::Status::failed, {}, "left out by the owner");
    if (step.ends_with(kProof)) return item_passed(target, number, answer);
    return item_over(target, number, RunItem::Status::passed, answer, "");
  }
  settle(target, step != work ? entry_of(state_.gathered, work) : Json::object(), true);
}

}  // namespace teamster::workflow
