// The part of Crew for turns: prompts said, their answers brought back, their limits, and answers to what agents ask.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "engine/crew.h"
#include "env/clock.h"
#include "env/loop.h"
#include "protocol/client/call.h"
#include "protocol/client/message_calls.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/message_kinds.h"
#include "workflow/core/advice.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::engine {
namespace {

using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

// An answer that carries the mark of another phase was meant for that one.
std::optional<std::string> marker_of_another(const command::Turn& turn, const std::string& text) {
  if (!turn.marker.empty() && text.find(turn.marker) != std::string::npos) return std::nullopt;
  for (const auto& marker : turn.other_markers)
    if (text.find(marker) != std::string::npos) return marker;
  return std::nullopt;
}

event::TurnUsage usage_of(const agent::TurnResult& result) {
  const agent::Usage& used = result.spent;
  return {.input_tokens = used.input_tokens,
          .output_tokens = used.output_tokens,
          .cache_read_tokens = used.cache_read_tokens,
          .cache_write_tokens = used.cache_write_tokens,
          .cost_usd = used.cost_usd,
          .duration_ms = to_ms(result.took)};
}

Json answer_of(const agent::TurnResult& result) {
  if (result.answer.value) return *result.answer.value;
  Json answer = {{"text", result.end.text}};
  if (result.whole_text) {
    answer["text_bytes"] = result.whole_text->bytes;
    answer["text_sha256"] = result.whole_text->sha256;
  }
  return answer;
}

// How a turn ended: the same from an agent of ours and from the journal.
RunEvent outcome_of(const Effect& effect, const agent::TurnResult& result) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto failed = [&](std::string_view fault, std::string error) {
    return event_about(effect.command, event::Failed{.fault = std::string(fault),
                                                     .error = std::move(error),
                                                     .usage = usage_of(result),
                                                     .member = turn.member,
                                                     .restarts = result.restarts});
  };
  if (const auto other = marker_of_another(turn, result.end.text))
    return failed("unusable", fmt::format("the agent answered with {}, the result of another phase", *other));
  if (!result.end.is_good()) return failed(agent::to_string(result.end.fault), result.end.error);
  return event_about(
      effect.command,
      event::Done{
          .answer = answer_of(result), .usage = usage_of(result), .member = turn.member, .restarts = result.restarts});
}

}  // namespace

// Under which the journal has the end of the turn.
std::string Crew::prompt_id(const Effect& effect) const { return options_.pinned.run + "/" + effect.command.id(); }

void Crew::say(const Effect& effect, const Settle& settle) {
  const std::string team = effect.command.get<command::Turn>().team;
  // What the member has asked comes before the end of its turn, which may only mean that it waits.
  const Settle after_questions = [=, this](const RunEvent& outcome) {
    const auto* failed = outcome.as<event::Failed>();
    if (failed == nullptr || failed->fault != agent::to_string(agent::Fault::protocol)) return settle(outcome);
    natives_.look(team, [=] { settle(outcome); });
  };
  seat_natives(team, [=, this] {
    if (!effect.again) return say_now(effect, after_questions);
    unless_answered(effect, after_questions, [=, this] { say_now(effect, after_questions); });
  });
}

void Crew::seat_natives(const std::string& team, const std::function<void()>& then) {
  std::vector<std::string> missing;
  const auto& roles = options_.pinned.workflow.roles;
  for (const auto& [name, role] : roles)
    if (role.is_native && !natives_.has(team, name)) missing.push_back(name);
  if (roles.count(kLead) == 0 && !natives_.has(team, kLead)) missing.emplace_back(kLead);
  if (missing.empty()) return then();
  auto left = std::make_shared<std::size_t>(missing.size());
  // Without its team there is none; starting the member says so.
  for (const auto& name : missing)
    natives_.join(team, name, [=](const Result<void>&) {
      if (--*left == 0) then();
    });
}

// The agent of another engine may have answered, well or not: the hub knows.
void Crew::unless_answered(const Effect& effect, const Settle& settle, const std::function<void()>& then) {
  hub::GetTurn get{.team = effect.command.get<command::Turn>().team, .prompt = prompt_id(effect)};
  hub::ask(calls_, std::move(get), [=, this](const Result<hub::GetTurn::Answer>& turn) {
    if (turn && *turn) {
      options_.on_note(
          effect.command.get<command::Turn>().member,
          fmt::format("its answer to {} is there: it came when nobody drove the run", effect.command.id()));
      return settle(outcome_of(effect, agent::turn_result(**turn)));
    }
    // Without its team it was not answered, and starting its member says why there is none.
    if (turn || turn.error().code == Code::not_found) return then();
    if (turn.error().code == Code::invalid || turn.error().code == Code::refused)
      return fail_step(effect, settle, "failed", turn.error().text());
    // As long as nobody knows, it is not said again.
    looks_again_[effect.command.id()] =
        world_.loop.after(limits::kTellAgainAfter, [=, this] { unless_answered(effect, settle, then); });
  });
}

void Crew::say_now(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  if (must_wait_for_end(effect, settle)) return;
  if (!turn.skill.empty())
    if (const auto text = options_.skill_text(turn.skill); !text)
      return fail_step(effect, settle, "skill", text.error().text());
  auto hosted = host(turn.team, turn.member, turn.role, {turn.conversation, turn.temporary && !effect.again, true});
  if (!hosted) return fail_step(effect, settle, "crashed", hosted.error().text());
  when_ready(turn.member, [=, this](Result<void> ready) {
    if (!ready) return fail_step(effect, settle, fault_of_gone(turn.member), ready.error().text());
    if (!effect.again) return claim_and_ask(effect, settle);
    // Whoever hosted the member may have brought the turn to its end while it was waited for.
    unless_answered(effect, settle, [=, this] { claim_and_ask(effect, settle); });
  });
}

// Its name may be that of a member for another step, or it is in another conversation: both take a moment to go.
bool Crew::must_wait_for_end(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto before = hosted_.find(turn.member);
  if (before == hosted_.end() || before->second.is_gone) return false;
  Hosted& hosted = before->second;
  const bool is_elsewhere = !hosted.is_leaving && hosted.member->conversation() != turn.conversation;
  if (!hosted.is_leaving && !is_elsewhere) return false;
  hosted.when_gone.push_back([=, this] { say_now(effect, settle); });
  if (!is_elsewhere) return true;
  hosted.is_leaving = true;
  hosted.member->stop("a new conversation begins");
  return true;
}

// A program that cannot be run is not tried again and again.
const char* Crew::fault_of_gone(const std::string& name) const {
  const auto found = hosted_.find(name);
  const agent::Fault fault = found == hosted_.end() ? agent::Fault::none : found->second.member->fault();
  return agent::to_string(fault == agent::Fault::none ? agent::Fault::crashed : fault).data();
}

// The task of an item is its member's while it works on it.
void Crew::claim_and_ask(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  if (turn.task.empty()) return ask(effect, settle);
  tasks_.claim(turn, effect.command.id(), [=, this] { ask(effect, settle); });
}

void Crew::ask(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto found = hosted_.find(turn.member);
  if (found == hosted_.end() || found->second.is_gone)
    return fail_step(effect, settle, fault_of_gone(turn.member), fmt::format("member {} is gone", turn.member));
  Hosted& hosted = found->second;
  if (!turn.first && !hosted.knows) return lost(effect, settle, "its agent began a new conversation");
  if (effect.again)
    options_.on_note(turn.member, fmt::format("is asked {} again, in {}", effect.command.id(),
                                              hosted.member->has_conversation() ? "the conversation that it was in"
                                                                                : "a new conversation"));
  hosted.knows = true;
  limit_turn(effect, settle);
  hosted.member->ask(prompt_of(effect, hosted),
                     [=, this](const agent::TurnResult& result) { answered(effect, settle, result); });
  options_.on_turn(turn.member, effect.command.id(), hosted.member->agent_pid());
}

agent::Prompt Crew::prompt_of(const Effect& effect, const Hosted& hosted) const {
  const auto& turn = effect.command.get<command::Turn>();
  agent::Prompt prompt;
  prompt.text = turn.prompt;
  prompt.id = prompt_id(effect);
  prompt.goes_back_when_lost = true;
  prompt.mends = false;  // the run's ladder does, and says so in the journal
  // Who has no tools cannot read it, so it is told.
  if (!turn.skill.empty() && !hosted.member->has_tools())
    if (const auto text = options_.skill_text(turn.skill))
      prompt.text += fmt::format("\n\n{}", workflow::fenced("the skill " + turn.skill, *text));
  prompt.marker = turn.marker;
  // Who mends its answer is not shown the template again.
  prompt.shows_form = turn.rung != workflow::rung::kMend && workflow::shows_form(options_.pinned, effect.command.step);
  if (effect.again) agent::note_begun(prompt.text, "the program that asked you was restarted");
  if (!turn.schema.empty()) {
    const std::string* builtin = workflow::builtin_schema(turn.schema);
    auto schema = parse_json(builtin != nullptr ? *builtin : options_.pinned.bundle.at(turn.schema));
    if (schema) prompt.schema = *std::move(schema);
  }
  return prompt;
}

// The limit is for the turn, not for the hub that records its end.
void Crew::turn_ended(const std::string& name, const agent::TurnResult& result) {
  Hosted& hosted = hosted_.at(name);
  if (std::exchange(hosted.is_in_side_turn, false)) options_.on_side_turn_ended(name);
  if (result.prompt.empty()) return;
  hosted.limit.reset();
  hosted.over_limit = nullptr;
}

void Crew::answered(const Effect& effect, const Settle& settle, const agent::TurnResult& result) {
  const auto& turn = effect.command.get<command::Turn>();
  if (const auto found = hosted_.find(turn.member); found != hosted_.end()) {
    if (found->second.is_over_limit) return;
    found->second.limit.reset();
  }
  if (result.lost_because) return lost(effect, settle, *result.lost_because);
  const RunEvent outcome = outcome_of(effect, result);
  later_.call([=, this, name = turn.member, is_temporary = turn.temporary] {
    if (const auto found = hosted_.find(name); is_temporary && found != hosted_.end() && !found->second.is_gone) {
      found->second.is_leaving = true;
      found->second.member->stop("its step is done");
    }
    settle(outcome);
  });
}

// The prompt was worded for who knows what was said before: the core words it anew.
void Crew::lost(const Effect& effect, const Settle& settle, const std::string& why) {
  const std::string& name = effect.command.get<command::Turn>().member;
  if (const auto found = hosted_.find(name); found != hosted_.end()) found->second.knows = false;
  later_.call([settle, lost = event_about(effect.command, event::MemberLost{name, why})] { settle(lost); });
}

// Between its turns.
void Crew::forgot(const std::string& name, const std::string& why) {
  Hosted& hosted = hosted_.at(name);
  if (!std::exchange(hosted.knows, false)) return;
  later_.call([this, lost = workflow::event_of(event::MemberLost{name, why})] { news_(lost); });
}

// A turn that takes longer than its phase allows is over; its agent is ended, and comes back with its context when
// it is needed again.
void Crew::limit_turn(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto limit = std::chrono::milliseconds(turn.limit_ms);
  Hosted& hosted = hosted_.at(turn.member);
  hosted.limit.reset();  // of a turn that was given up
  hosted.over_limit = nullptr;
  if (limit.count() == 0) return;
  hosted.limit_left = limit;
  hosted.over_limit = [=, this, &hosted] {
    hosted.is_over_limit = true;
    hosted.when_gone.push_back([=, this] {
      fail_step(effect, settle, "limit", fmt::format("the turn took longer than {}", describe_duration(limit)));
    });
    hosted.member->stop("its turn took too long");
  };
  arm_limit(hosted);
}

void Crew::arm_limit(Hosted& hosted) {
  if (!hosted.over_limit || hosted.questions > 0) return;
  hosted.limit_since = world_.clock.now();
  hosted.limit = world_.loop.after(hosted.limit_left, [&hosted] { hosted.over_limit(); });
}

void Crew::hold_limit(const std::string& member) {
  const auto found = hosted_.find(member);
  if (found == hosted_.end()) return;
  Hosted& hosted = found->second;
  if (hosted.questions++ > 0 || !hosted.limit) return;
  hosted.limit.reset();
  hosted.limit_left = std::max<Duration>(hosted.limit_left - (world_.clock.now() - hosted.limit_since), Duration(1));
}

void Crew::go_on_with_limit(const std::string& member) {
  const auto found = hosted_.find(member);
  if (found == hosted_.end() || found->second.questions == 0) return;
  if (--found->second.questions == 0) arm_limit(found->second);
}

// As a message of the native member that was asked: the words in it are the person's.
void Crew::reply(const Effect& effect, const Settle& settle) {
  const auto& said = effect.command.get<command::Reply>();
  hub::MessageText text{.body = fmt::format("{} answers your question {}:\n{}", said.by, said.message,
                                            workflow::fenced(said.by, said.text)),
                        .kind = message_kind::kAnswer,
                        .summary = fmt::format("answer to your question {}", said.message)};
  hub::SendMessage send{.team = said.team, .from = std::string(kLead), .to = said.member, .text = std::move(text)};
  const std::string key = "reply-" + to_hex(sha256(fmt::format("{}/{}", options_.pinned.run, effect.command.id())));
  hub::ask(calls_, std::move(send), {.key = key}, [=, this](const Result<hub::SendMessage::Answer>& sent) {
    if (!sent) return fail_step(effect, settle, "failed", sent.error().text());
    settle(event_about(effect.command, event::Done{}));
  });
}

}  // namespace teamster::engine
