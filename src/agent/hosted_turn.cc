// The part of HostedMember that hears its session: turns and their answers.
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

constexpr Duration kTellAgainFirst = 10s;
constexpr Duration kTellAgainLongest = 5min;

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

void note_begun(std::string& prompt, std::string_view because) {
  constexpr std::string_view kNote = "You may have begun this before";
  if (prompt.find(kNote) == prompt.npos)
    prompt += fmt::format("\n\n{}: {}. Look at what is there, and do not repeat what is done.", kNote, because);
}

// Until then it is starting: a program that cannot be run has no other way to say so than to end.
void HostedMember::on_up() {
  if (state_ == State::running && record_.state == "starting") save_record("idle");
}

void HostedMember::on_activity(const Activity& activity) {
  transcript_.activity(activity);
  if (is_from_model(activity.kind)) delivery_->agent_spoke();
  note_answers(activity);
  observer_.on_activity(activity);
}

// A tool that names the message it answers has marked it as acted on, when it has succeeded.
void HostedMember::note_answers(const Activity& activity) {
  if (activity.kind == Activity::Kind::tool_call && activity.input.is_object()) {
    const auto answers = activity.input.find("in_reply_to");
    if (answers != activity.input.end() && answers->is_number_integer())
      answering_[activity.id] = MessageId(answers->get<std::int64_t>());
  }
  if (activity.kind != Activity::Kind::tool_result) return;
  const auto call = answering_.extract(activity.id);
  if (!call.empty() && !activity.is_error) delivery_->answered(call.mapped());
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
  observer_.on_turn_began(task_ ? task_->asked.prompt.id : "");
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
  answering_.clear();
  if (end.is_good()) {
    respawns_ = 0;
    failed_turns_ = 0;
    pause_.reset();
    record_.trouble.clear();
  } else {
    record_.trouble = end.error;
    if (!end.session_over)
      delivery_->turn_failed(!is_weather(end.fault) && !is_mended_outside(end.fault) &&
                             end.fault != Fault::interrupted && end.fault != Fault::context);
    else if (comes_back())
      delivery_->process_died();
    if (is_mended_outside(end.fault)) renewal_ = Renewal::resumed;
    if (end.fault == Fault::context) renewal_ = Renewal::anew;
  }
  finish_task(end);
  save_record(record_.trouble.empty() ? "idle" : "failing");
  if (end.session_over) return;
  pause_letters(end.fault);
  if (renewal_ == Renewal::anew && !task_) renew();
  next();
}

// The same again at once would fail again; whoever cut a turn wants the next one now.
void HostedMember::pause_letters(Fault fault) {
  if (fault == Fault::none || fault == Fault::interrupted || !delivery_->has_letters_to_tell_again()) return;
  const Duration pause = std::min<Duration>(kTellAgainLongest, kTellAgainFirst * (1 << std::min(failed_turns_, 5)));
  ++failed_turns_;
  observer_.on_note(fmt::format("{}; what it was told is told again in {}", record_.trouble, describe_duration(pause)));
  pause_ = world_.loop.after(pause, [this] {
    pause_.reset();
    next();
  });
}

// Settles what the turn was asked for. A turn that the agent began by itself was asked nothing.
void HostedMember::finish_task(TurnEnd end) {
  const bool ends_wait = task_ && std::exchange(task_->awaits_job, false);
  job_.reset();
  if (!end.solicited && !ends_wait) {
    transcript_.turn_ended(end, Json());
    const auto inputs = end.inputs;
    TurnResult outcome{std::move(end)};
    tell_hub_of_end(outcome, inputs, {});
    return observer_.on_turn(outcome);
  }
  Answer answer;
  if (task_ && task_->compiled && end.is_good()) {
    answer = find_answer_of(end);
    if (wait_for_job(end, answer) || mend(end, answer)) return;
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

// Who has begun a job in the background and ends its turn has not answered yet: the end of the job wakes it.
bool HostedMember::wait_for_job(const TurnEnd& end, const Answer& answer) {
  if (answer.value || end.background_jobs == 0 || state_ != State::running) return false;
  transcript_.turn_ended(end, Json());
  tell_hub_of_end(TurnResult{end}, {}, {});
  task_->awaits_job = true;
  task_->inputs.insert(task_->inputs.end(), end.inputs.begin(), end.inputs.end());
  add_to(task_->asked.spent, end.usage);
  observer_.on_note("it waits for its own job in the background");
  job_ = world_.loop.after(options_.start.limits.turn, [this, late = end]() mutable {
    late.background_jobs = 0;
    finish_task(late);
    next();
  });
  return true;
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
  note_begun(again.prompt.text, "your process ended");
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
  const TurnEnd& end = result.end;
  const bool is_again_at_once = end.is_good() || end.session_over || end.fault == Fault::interrupted;
  receipts_.tell(hub::SetTurn{.team = seat_.team,
                              .member = seat_.member,
                              .epoch = seat_.epoch,
                              .turn = record_.turns,
                              .ended = ended_turn(result),
                              .messages = delivery_->messages_of(inputs, is_again_at_once),
                              .retries = delivery_->has_letters_to_tell_again()},
                 [this, told = std::move(told)](const Result<void>& recorded) {
                   if (!recorded && recorded.error().code != Code::refused)
                     observer_.on_note("the end of a turn was not recorded: " + recorded.error().text());
                   if (told) told(recorded);
                 });
}

}  // namespace teamster::agent
