// The part of HostedMember for the end of a process and of the member: another process in its place, and farewell.
#include <fmt/format.h>

#include "agent/hosted_member.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/files.h"
#include "env/loop.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRespawnFirstDelay = 200ms;
constexpr std::size_t kReasonMaxBytes = 512;

}  // namespace

void HostedMember::on_ended(const SessionEnd& end) {
  // Not inside its own callback.
  world_.loop.post([gone = std::shared_ptr<Session>(std::move(session_))] {});
  record_.agent_pid = 0;
  transcript_.note(end.what);
  if (end.conversation_is_lost) forget_conversation(end.what);
  if (state_ == State::stopping) return leave({});
  if (state_ != State::running) return;
  if (std::exchange(is_renewing_, false)) return renewed();
  if (end.program_is_broken && !end.conversation_is_lost) return give_up_program(end.what);
  respawn(end.what);
}

// It ended by itself and had not said a word: the next try would do the same.
void HostedMember::give_up_program(const std::string& why) {
  fault_ = Fault::program;
  leave(fail(
      Code::failed, fmt::format("{} cannot be started: {}", options_.driver->name(), why),
      fmt::format("Try `{} --version`; see `teamster agent drivers`",
                  options_.start.program.empty() ? options_.driver->find_program(world_) : options_.start.program)));
}

// Whether another process takes the place of the one that is there; it is told what is to be told when it has come.
bool HostedMember::renew() {
  if (renewal_ == Renewal::none) return false;
  is_renewing_ = true;
  delivery_->process_died();
  session_->close();
  return true;
}

void HostedMember::renewed() {
  if (std::exchange(renewal_, Renewal::none) == Renewal::anew)
    forget_conversation("it became too long: " + record_.trouble);
  auto made = make_environment_of_agent();
  if (!made) return leave(fail(made.error()));
  start_session_or_leave();
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
  if (!started) {
    fault_ = Fault::program;
    return leave(fail(started.error()));
  }
  save_record(session_->is_up() ? "idle" : "starting");
  next();
}

// The last thing: whoever waits for an answer gets one, and the epoch ends when all is told.
void HostedMember::leave(Result<void> outcome) {
  state_ = State::gone;
  respawn_later_.reset();
  outcome_ = std::move(outcome);
  record_.trouble = *outcome_ ? record_.trouble : outcome_->error().text();
  if (is_team_gone_)
    leave_no_directory();
  else if (lock_)
    save_record("gone");
  TurnResult nothing;
  nothing.end.fault = fault_ == Fault::none ? Fault::crashed : fault_;
  nothing.end.error = *outcome_ ? "the member was stopped" : outcome_->error().text();
  if (task_ && task_->asked.done) std::exchange(task_->asked.done, nullptr)(nothing);
  for (auto& asked : std::exchange(asked_, {}))
    if (asked.done) asked.done(nothing);
  delivery_.reset();
  say_farewell();
}

void HostedMember::leave_no_directory() {
  (void)world_.files.remove_tree(directory_);
  const std::string team = home_.team_directory(options_.team);
  if (const auto left = world_.files.list(team); left && left->empty()) (void)world_.files.remove_tree(team);
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
