// The part of HostedMember that hears its session: turns, their answers, and its end.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/hosted_member.h"
#include "agent/report.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/clock.h"
#include "env/loop.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRespawnFirstDelay = 200ms;
constexpr std::size_t kReasonMaxBytes = 512;

bool is_from_model(Activity::Kind kind) {
  return kind == Activity::Kind::text || kind == Activity::Kind::thinking || kind == Activity::Kind::tool_call;
}

void add_to(Usage& sum, const Usage& more) {
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cache_read_tokens += more.cache_read_tokens;
  sum.cache_write_tokens += more.cache_write_tokens;
  if (more.cost_usd) sum.cost_usd = sum.cost_usd.value_or(0) + *more.cost_usd;
}

}  // namespace

void HostedMember::on_activity(const Activity& activity) {
  transcript_.activity(activity);
  if (is_from_model(activity.kind)) delivery_->agent_spoke();
  observer_.on_activity(activity);
}

void HostedMember::on_input(const std::string& id, InputState state) {
  if (delivery_) delivery_->input_moved(id, state);
  observer_.on_input(id, state);
}

void HostedMember::on_turn_started() {
  began_ = true;
  ++record_.turns;
  save_record("working");  // its number is taken, even if the host is killed now
  transcript_.turn_started(record_.turns);
  receipts_.tell(hub::SetTurn{.team = seat_.team, .member = seat_.member, .epoch = seat_.epoch, .turn = record_.turns});
}

PermissionAnswer HostedMember::on_permission(const PermissionRequest& request) {
  PermissionAnswer answer = options_.permissions.decide(request);
  transcript_.permission(request, answer);
  observer_.on_note(fmt::format("{} {}", answer.allow ? "allowed" : "denied", request.tool));
  return answer;
}

void HostedMember::on_resumable(const std::string& resume_token) {
  if (record_.resume_token == resume_token || resume_token.empty()) return;
  record_.resume_token = resume_token;
  save_record("working", true);  // what a crash must not take
}

void HostedMember::on_turn_ended(const TurnEnd& end) {
  interrupting_ = false;
  if (end.usage.cost_usd) record_.cost_usd += *end.usage.cost_usd;
  if (end.is_good()) {
    respawns_ = 0;
    record_.trouble.clear();
    delivery_->turn_went_well();
  } else {
    record_.trouble = end.error;
    if (!end.session_over)
      delivery_->turn_failed(end.fault == Fault::interrupted);
    else if (comes_back())
      delivery_->process_died();
  }
  finish_task(end);
  save_record(record_.trouble.empty() ? "idle" : "failing");
  if (!end.session_over) next();
}

// Settles what the turn was asked for. A turn that the agent began by itself was asked nothing.
void HostedMember::finish_task(TurnEnd end) {
  if (!end.solicited) {
    transcript_.turn_ended(end, Json());
    const auto inputs = end.inputs;
    TurnResult outcome{std::move(end)};
    tell_hub_of_end(outcome, inputs, {});
    return observer_.on_turn(outcome);
  }
  Answer answer;
  if (task_ && task_->compiled && end.is_good()) {
    answer = find_answer_of(end);
    if (mend(end, answer)) return;
    if (!answer.value) {
      end.fault = Fault::protocol;
      end.error = fmt::format("the answer does not have the shape that was asked for: {}", join(answer.problems, "; "));
      record_.trouble = end.error;
    }
  }
  transcript_.turn_ended(end, answer.value.value_or(Json()));
  auto inputs = end.inputs;
  if (task_) {
    inputs.insert(inputs.end(), task_->inputs.begin(), task_->inputs.end());
    add_to(task_->asked.spent, end.usage);
  }
  TurnResult outcome{std::move(end), std::move(answer)};
  if (!say_again(outcome.end)) return settle_task(std::move(outcome), inputs);
  tell_hub_of_end(std::move(outcome), inputs, {});
}

Answer HostedMember::find_answer_of(const TurnEnd& end) {
  Report report = read_report(world_.files, directory_);
  AnswerSources sources{std::move(report.result), std::move(report.problems), end.structured, end.text};
  Answer answer = find_answer(sources, *task_->compiled);
  // Without any other try the report before it was mended is what there is to tell of.
  if (!answer.value && answer.source.empty() && !task_->refused_report.empty())
    answer = {std::nullopt, "report", task_->refused_report};
  if (!sources.refused_report.empty()) task_->refused_report = std::move(sources.refused_report);
  return answer;
}

// After a crash a prompt is said again; messages are told again by the delivery.
bool HostedMember::say_again(const TurnEnd& end) {
  if (!end.session_over || !task_ || task_->asked.prompt.text.empty() || !comes_back()) return false;
  Asked again = std::move(task_->asked);
  again.restarts.push_back(fmt::format("{}: {}", to_string(end.fault), end.error));
  again.prompt.text += "\n\n(You may have begun this before: your process ended. Do not repeat what is done.)";
  asked_.insert(asked_.begin(), std::move(again));
  task_.reset();
  return true;
}

// What came of it is told to who asked when the journal has it, so that nobody acts on what a crash could take back.
void HostedMember::settle_task(TurnResult outcome, const std::vector<std::string>& inputs) {
  Asked asked;
  if (task_) asked = std::move(task_->asked);
  task_.reset();
  // A turn that was cut because we stop is no answer: who takes over asks again.
  if (outcome.end.is_good() || state_ == State::running) outcome.prompt = asked.prompt.id;
  observer_.on_turn(outcome);
  outcome.spent = asked.spent;
  if (asked.begun) outcome.took = world_.clock.now() - *asked.begun;
  outcome.restarts = std::move(asked.restarts);
  bound(outcome);
  tell_hub_of_end(outcome, inputs, [outcome, done = std::move(asked.done)](const Result<void>& recorded) {
    if (!done) return;
    TurnResult told = outcome;
    if (!recorded) {
      told.answer = {};
      told.end.fault = Fault::crashed;
      told.end.error = "the end of its turn was not recorded: " + recorded.error().text();
    }
    done(told);
  });
}

bool HostedMember::mend(const TurnEnd& end, const Answer& answer) {
  if (!task_->asked.prompt.mends) return false;
  if (answer.value || std::exchange(task_->mending, true) || state_ != State::running) return false;
  transcript_.turn_ended(end, Json());
  tell_hub_of_end(TurnResult{end}, {}, {});
  forget_report(world_.files, directory_);
  task_->inputs.insert(task_->inputs.end(), end.inputs.begin(), end.inputs.end());
  add_to(task_->asked.spent, end.usage);
  observer_.on_note("the answer has to be mended: " + join(answer.problems, "; "));
  say(mend_request(answer, *task_->schema));
  return true;
}

void HostedMember::tell_hub_of_end(TurnResult result, const std::vector<std::string>& inputs, Receipts::Told told) {
  bound(result);
  receipts_.tell(hub::SetTurn{.team = seat_.team,
                              .member = seat_.member,
                              .epoch = seat_.epoch,
                              .turn = record_.turns,
                              .ended = ended_turn(result),
                              .messages = delivery_->messages_of(inputs)},
                 [this, told = std::move(told)](const Result<void>& recorded) {
                   if (!recorded && recorded.error().code != Code::refused)
                     observer_.on_note("the end of a turn was not recorded: " + recorded.error().text());
                   if (told) told(recorded);
                 });
}

void HostedMember::on_ended(const SessionEnd& end) {
  // Not inside its own callback.
  world_.loop.post([gone = std::shared_ptr<Session>(std::move(session_))] {});
  record_.agent_pid = 0;
  transcript_.note(end.what);
  if (end.conversation_is_lost) forget_conversation(end.what);
  if (state_ == State::stopping) return leave({});
  if (state_ != State::running) return;
  respawn(end.what);
}

bool HostedMember::comes_back() const { return state_ == State::running && respawns_ < limits::kRespawnsMax; }

void HostedMember::respawn(const std::string& why) {
  record_.trouble = why;
  delivery_->process_died();
  interrupting_ = false;
  if (!began_ && !record_.resume_token.empty() && respawns_ > 0) forget_conversation(why);
  if (!comes_back())
    return leave(fail(Code::failed, fmt::format("the agent ended {} times without a good turn: {}", respawns_ + 1, why),
                      fmt::format("See its transcript with `teamster agent attach --team {} --member {}`",
                                  options_.team, options_.member)));
  ++respawns_;
  observer_.on_note(fmt::format("{}; starting it again", why));
  save_record("starting");
  respawn_later_ = world_.loop.after(kRespawnFirstDelay * (1 << (respawns_ - 1)), [this] { start_session_or_leave(); });
}

// Its program does not know it any more: what can be rebuilt is in the inbox, and with who asked.
void HostedMember::forget_conversation(const std::string& why) {
  transcript_.note("the conversation is lost; a new one begins, with the messages that are not dealt with");
  record_.resume_token.clear();
  if (state_ != State::running) return;
  std::vector<Asked> back;
  for (auto& asked : std::exchange(asked_, {}))
    (asked.prompt.goes_back_when_lost && asked.done ? back : asked_).push_back(std::move(asked));
  TurnResult lost;
  lost.end.fault = Fault::crashed;
  lost.end.error = "its conversation is lost: " + why;
  lost.lost_because = why;
  for (const auto& asked : back) asked.done(lost);
  if (back.empty()) observer_.on_conversation_lost(why);
}

void HostedMember::start_session_or_leave() {
  auto started = start_session();
  if (!started) return leave(fail(started.error()));
  save_record("idle");
  next();
}

// The last thing: whoever waits for an answer gets one, and the epoch ends when all is told.
void HostedMember::leave(Result<void> outcome) {
  state_ = State::gone;
  respawn_later_.reset();
  outcome_ = std::move(outcome);
  record_.trouble = *outcome_ ? record_.trouble : outcome_->error().text();
  if (lock_) save_record("gone");
  TurnResult nothing;
  nothing.end.fault = Fault::crashed;
  nothing.end.error = *outcome_ ? "the member was stopped" : outcome_->error().text();
  if (task_ && task_->asked.done) std::exchange(task_->asked.done, nullptr)(nothing);
  for (auto& asked : std::exchange(asked_, {}))
    if (asked.done) asked.done(nothing);
  delivery_.reset();
  say_farewell();
}

// A hub that does not come back must not keep a process that was told to end.
void HostedMember::say_farewell() {
  if (seat_.epoch != Epoch()) {
    const std::string why = *outcome_ ? (stop_reason_.empty() ? "stopped" : stop_reason_) : outcome_->error().what;
    receipts_.tell(hub::LeaveTeam{.team = seat_.team,
                                  .member = seat_.member,
                                  .reason = std::string(beginning_of(why, kReasonMaxBytes)),
                                  .epoch = seat_.epoch});
  }
  farewell_ = world_.loop.after(limits::kFarewellMax, [this] {
    receipts_.when_all_is_told([] {});
    if (*outcome_)
      outcome_ = fail(Code::unavailable,
                      fmt::format("{} receipts of member {} could not be recorded: {}", receipts_.untold(),
                                  options_.member, receipts_.trouble()),
                      "Run `teamster doctor`");
    observer_.on_gone(*outcome_);
  });
  receipts_.when_all_is_told([this] {
    farewell_.reset();
    observer_.on_gone(*outcome_);
  });
}

void HostedMember::save_record(const char* state, bool synced) {
  record_.state = state;
  auto saved = record_.save(world_.files, directory_, synced);
  if (!saved) observer_.on_note(saved.error().text());
}

}  // namespace teamster::agent
