// The part of Decision for questions of agents: what a member asks a native member of its team is a question of the
// run, and the answer finds its way back, whether the member waits in its turn or has ended it. And for what people say
// that is no answer.
#include <algorithm>

#include <fmt/format.h>

#include "base/time.h"
#include "workflow/core/decision.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::workflow {

// What is no matter of people is the asker's own to decide.
bool Decision::is_for_people(const event::Asked& asked) const {
  const AgentQuestions& rule = workflow_.questions;
  if (rule.otherwise.empty() || asked.options.size() > 1) return true;
  return std::find(rule.reasons.begin(), rule.reasons.end(), asked.reason) != rule.reasons.end();
}

void Decision::agent_asked(const event::Asked& asked) {
  // A message that is read again after a crash asks nothing new.
  const bool is_known = std::any_of(state_.open.begin(), state_.open.end(), [&](const auto& open) {
    const auto* question = open.second.template as<command::Ask>();
    if (question == nullptr || question->from != asked.member) return false;
    return (asked.message != 0 && question->message == asked.message) ||
           (question->text == asked.text && question->options == asked.options);
  });
  if (is_known) return;
  const std::string at = state_.phase.empty() ? std::string(kLead) : state_.phase;
  // An agent that is killed while it asks asks again when it comes back. What was answered is said again; nobody is
  // asked twice. The lead's own answer is none to the same words when they are now a matter of people.
  if (const auto replied = state_.replied.find(asked.member); replied != state_.replied.end() &&
                                                              replied->second.question == asked.text &&
                                                              (replied->second.by != kLead || !is_for_people(asked))) {
    command::Reply again = replied->second;
    again.message = asked.message;
    return emit(fmt::format("{}{}{}{}", at, kAgentQuestion, state_.questions, kReply), std::move(again));
  }
  if (!is_for_people(asked)) {
    const std::string step = fmt::format("{}{}{}", at, kAgentQuestion, state_.questions);
    return emit(step_of(step, kReply), command::Reply{.team = asked.team,
                                                      .member = asked.member,
                                                      .message = asked.message,
                                                      .text = workflow_.questions.otherwise,
                                                      .by = kLead,
                                                      .question = asked.text});
  }
  command::Ask question{.text = asked.text,
                        .to = addressee(state_.people, "", asked.expertise),
                        .options = asked.options,
                        .expertise = asked.expertise,
                        .from = asked.member,
                        .message = asked.message,
                        .remind_ms = to_ms(workflow_.questions.remind),
                        .deadline_ms = to_ms(workflow_.questions.deadline)};
  emit(fmt::format("{}{}{}", at, kAgentQuestion, state_.questions), std::move(question));
}

// Politely, to who said it, and the owner hears of it. What was said goes nowhere else.
void Decision::decline(const event::Declined& declined) {
  const auto* question = settled_->as<command::Ask>();
  if (question == nullptr) return;
  const std::string by = declined.spoken.by.value_or("");
  const std::string owner = owner_of(state_.people).empty() ? kOwner : handle_of(owner_of(state_.people));
  std::string to = by.empty() || handle_of(by) == owner ? owner : fmt::format("{}+{}", handle_of(by), owner);
  emit(step_of(event_.step, kDeclined),
       command::Notify{
           .text = fmt::format("Thank you, but this cannot be passed on: {}. The question is still open; please "
                               "answer it without that. @{}: for your information.",
                               declined.why, owner),
           .to = std::move(to)});
}

// Items may have been over before that was told.
void Decision::was_declined() {
  const Phase* current = phase(state_.phase);
  if (current != nullptr && current->items && !state_.items.empty()) items_over(*current);
}

bool Decision::has_asked(const std::string& member) const {
  return std::any_of(state_.open.begin(), state_.open.end(), [&](const auto& open) {
    const auto* question = open.second.template as<command::Ask>();
    return question != nullptr && !question->from.empty() && question->from == member;
  });
}

// A member that ends its turn without an answer because it waits for one has not failed.
bool Decision::pause_for_answer(const Phase& current, const command::Turn& turn) {
  if (const auto reply = state_.replied.find(turn.member); reply != state_.replied.end()) {
    // The answer was sent when it had ended its turn already, or next to.
    Tried waiting{event_.step, turn.role, turn.member, turn.temporary};
    waiting.why = reply->second.question;
    waiting.guidance = fenced(reply->second.by, reply->second.text);
    try_again(current, waiting, rung::kAnswered);
    return true;
  }
  if (!has_asked(turn.member)) return false;
  emit_fact(command::Pause{
      .turn = {.step = event_.step, .role = turn.role, .member = turn.member, .temporary = turn.temporary}});
  if (number_of_item(event_.step) != 0) start_free_items(current);
  return true;
}

void Decision::agent_answered(const Phase* current) {
  const auto* question = settled_->as<command::Ask>();
  if (question == nullptr) return;
  const auto text_at = [&](const char* name) {
    const Json value = value_at(event_answer(), name);
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const std::string by = text_at("by").empty() ? kOwner : text_at("by");
  const auto paused = state_.paused.find(question->from);
  if (paused != state_.paused.end() && current != nullptr) {
    const command::PostponedTurn turn = paused->second;
    Tried waiting{turn.step, turn.role, turn.member, turn.temporary};
    waiting.why = question->text;
    waiting.guidance = fenced(by, text_at("answer"));
    return try_again(*current, waiting, rung::kAnswered);
  }
  const auto member = state_.members.find(question->from);
  const std::string team_of_asker = member == state_.members.end() ? team() : member->second.team;
  emit(step_of(event_.step, kReply), command::Reply{.team = team_of_asker,
                                                    .member = question->from,
                                                    .message = question->message,
                                                    .text = text_at("answer"),
                                                    .by = by,
                                                    .question = question->text});
}

}  // namespace teamster::workflow
