// The part of HostedMember that hears its session: turns, their answers, and its end.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/hosted_member.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/loop.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRespawnFirstDelay = 200ms;

bool is_from_model(Activity::Kind kind) {
  return kind == Activity::Kind::text || kind == Activity::Kind::thinking || kind == Activity::Kind::tool_call;
}

std::string cut_to(const std::string& text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
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
  Json args = seat_.json();
  args["running"] = true;
  args["turn"] = record_.turns;
  hub_.call({"team.turn", std::move(args)}, [](Result<Json>) {});
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
    tell_hub_of_end(end, Json(), end.inputs);
    return observer_.on_turn({std::move(end), {}});
  }
  Answer answer;
  if (task_ && task_->compiled && end.is_good()) {
    answer = find_answer({read_report(), end.structured, end.text}, *task_->compiled);
    if (mend(end, answer)) return;
    if (!answer.value) {
      end.fault = Fault::protocol;
      end.error = fmt::format("the answer does not have the shape that was asked for: {}", join(answer.problems, "; "));
      record_.trouble = end.error;
    }
  }
  const Json result = answer.value ? *answer.value : Json();
  transcript_.turn_ended(end, result);
  auto inputs = end.inputs;
  if (task_) inputs.insert(inputs.end(), task_->inputs.begin(), task_->inputs.end());
  tell_hub_of_end(end, result, inputs);
  // After a crash a prompt is said again, messages are told again by the delivery.
  if (end.session_over && task_ && !task_->prompt.text.empty() && comes_back()) {
    task_->restarts.push_back(fmt::format("{}: {}", to_string(end.fault), end.error));
    asked_.insert(asked_.begin(), Asked{std::move(task_->prompt), std::move(task_->done), std::move(task_->restarts)});
    asked_.front().prompt.text +=
        "\n\n(You may have begun this before: your process ended. Do not repeat what is done.)";
    task_.reset();
    return;
  }
  std::optional<Task> task = std::exchange(task_, std::nullopt);
  if (task) add_to(task->spent, end.usage);
  TurnResult outcome{std::move(end), std::move(answer)};
  observer_.on_turn(outcome);
  if (task && task->done) {
    outcome.end.usage = task->spent;
    outcome.restarts = std::move(task->restarts);
    task->done(outcome);
  }
}

bool HostedMember::mend(const TurnEnd& end, const Answer& answer) {
  if (answer.value || std::exchange(task_->mending, true) || state_ != State::running) return false;
  transcript_.turn_ended(end, Json());
  TurnEnd so_far = end;
  tell_hub_of_end(so_far, Json(), {});
  task_->inputs.insert(task_->inputs.end(), end.inputs.begin(), end.inputs.end());
  add_to(task_->spent, end.usage);
  observer_.on_note("the answer has to be mended: " + join(answer.problems, "; "));
  say(mend_request(answer, *task_->schema));
  return true;
}

std::optional<Json> HostedMember::read_report() {
  const auto text = world_.files.read(directory_ + "/report.json", limits::kFrameMaxBytes);
  if (!text) return std::nullopt;
  auto json = parse_json(*text);
  if (!json || !json->is_object() || !json->contains("result")) return std::nullopt;
  return (*json)["result"];
}

void HostedMember::tell_hub_of_end(const TurnEnd& end, const Json& result, const std::vector<std::string>& inputs) {
  Json args = seat_.json();
  args["running"] = false;
  args["turn"] = record_.turns;
  args["stop"] = cut_to(end.stop_reason.empty() ? std::string(to_string(end.fault)) : end.stop_reason, 256);
  args["text"] = cut_to(end.text, limits::kTurnTextMaxBytes);
  args["usage"] = end.usage.json();
  if (!end.is_good()) args["error"] = cut_to(fmt::format("{}: {}", to_string(end.fault), end.error), 4096);
  if (!result.is_null()) args["result"] = result;
  args["messages"] = delivery_->messages_of(inputs);
  hub_.call({"team.turn", std::move(args)}, [this, alive = std::weak_ptr<bool>(alive_)](Result<Json> answer) {
    if (!alive.expired() && !answer && answer.error().code != Code::refused)
      observer_.on_note("the end of a turn was not recorded: " + answer.error().text());
  });
}

void HostedMember::on_ended(const SessionEnd& end) {
  // Not inside its own callback.
  world_.loop.post([gone = std::shared_ptr<Session>(std::move(session_))] {});
  record_.agent_pid = 0;
  transcript_.note(end.what);
  if (end.conversation_is_lost) forget_conversation();
  if (state_ == State::stopping) return leave({});
  if (state_ != State::running) return;
  respawn(end.what);
}

bool HostedMember::comes_back() const { return state_ == State::running && respawns_ < limits::kRespawnsMax; }

void HostedMember::respawn(const std::string& why) {
  record_.trouble = why;
  delivery_->process_died();
  interrupting_ = false;
  if (!began_ && !record_.resume_token.empty() && respawns_ > 0) forget_conversation();
  if (!comes_back())
    return leave(fail(Code::failed, fmt::format("the agent ended {} times without a good turn: {}", respawns_ + 1, why),
                      fmt::format("See its transcript with `teamster agent attach --team {} --member {}`",
                                  options_.team, options_.member)));
  ++respawns_;
  observer_.on_note(fmt::format("{}; starting it again", why));
  save_record("starting");
  respawn_later_ = world_.loop.after(kRespawnFirstDelay * (1 << (respawns_ - 1)), [this] { start_session_or_leave(); });
}

// Its program does not know it any more: what can be rebuilt is in the inbox.
void HostedMember::forget_conversation() {
  transcript_.note("the conversation is lost; a new one begins, with the messages that are not dealt with");
  record_.resume_token.clear();
}

void HostedMember::start_session_or_leave() {
  auto started = start_session();
  if (!started) return leave(fail(started.error()));
  save_record("idle");
  next();
}

// The last thing: the epoch ends, and whoever waits for an answer gets one.
void HostedMember::leave(Result<void> outcome) {
  state_ = State::gone;
  respawn_later_.reset();
  outcome_ = std::move(outcome);
  record_.trouble = *outcome_ ? record_.trouble : outcome_->error().text();
  save_record("gone");
  TurnResult nothing;
  nothing.end.fault = Fault::crashed;
  nothing.end.error = *outcome_ ? "the member was stopped" : outcome_->error().text();
  if (task_ && task_->done) std::exchange(task_->done, nullptr)(nothing);
  for (auto& asked : std::exchange(asked_, {}))
    if (asked.done) asked.done(nothing);
  if (seat_.epoch == 0) return observer_.on_gone(*outcome_);
  Json args = seat_.json();
  args["reason"] = cut_to(*outcome_ ? (stop_reason_.empty() ? "stopped" : stop_reason_) : outcome_->error().what, 512);
  delivery_.reset();
  hub_.call({"team.leave", std::move(args)}, [this, alive = std::weak_ptr<bool>(alive_)](Result<Json>) {
    if (!alive.expired()) observer_.on_gone(*outcome_);
  });
}

void HostedMember::save_record(const char* state, bool synced) {
  record_.state = state;
  auto saved = record_.save(world_.files, directory_, synced);
  if (!saved) observer_.on_note(saved.error().text());
}

}  // namespace teamster::agent
