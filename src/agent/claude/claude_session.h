// ClaudeSession: a Session with a process that speaks claude's stream-json on its pipes:
// the real program, or the scripted one. Knows the quirks: several inputs and one result,
// results nobody asked for, costs that add up over the session, news of inputs that come
// after the result. Owned by the caller; driven by the loop.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "agent/claude/claude_wire.h"
#include "agent/driver.h"
#include "agent/process.h"
#include "agent/session.h"
#include "base/line_reader.h"

namespace teamster::agent {

class ClaudeSession : public Session {
 public:
  static Result<std::unique_ptr<Session>> start(const env::World& world, const env::Spawn& spawn,
                                                const SessionLimits& limits, double cost_so_far_usd,
                                                SessionListener& listener);
  ClaudeSession(const env::World& world, const SessionLimits& limits, double cost_so_far_usd,
                SessionListener& listener);

  void say(SessionInput input) override;
  void interrupt() override;
  void close() override;
  bool is_working() const override { return working_; }
  bool is_up() const override { return is_up_; }
  std::int64_t pid() const override { return process_->pid(); }

 private:
  void take_output(std::string_view bytes);
  void take_line(std::string_view line);
  void take_noise(std::string text);
  void take(const claude::Began& began);
  void take(const Activity& activity);
  void take(const claude::InputNews& news);
  void take(const claude::Retry& retry);
  void take(const claude::BackgroundJobs& jobs) { background_jobs_ = jobs.count; }
  void take(const PermissionRequest& request);
  void take(const claude::PermissionWithdrawn& withdrawn);
  void take(const claude::ControlAnswer& answer);
  void take(const claude::Ended& ended);
  void process_ended(env::ExitStatus status, const std::string& what);

  void begin_turn();
  void end_turn(TurnEnd end);
  void move_input(const std::string& id, InputState state);
  // Ends the turn for a reason of our own; the process when it does not obey.
  void cut(Fault fault, std::string why);
  void expect_output();
  void tell_of_silence(Duration span);
  std::string next_request() { return "teamster-" + std::to_string(++last_request_); }

  env::World world_;
  const SessionLimits limits_;
  SessionListener& listener_;
  std::unique_ptr<Process> process_;
  LineReader lines_;
  std::map<std::string, InputState> inputs_;  // those whose turn has not ended
  bool tells_of_inputs_ = false;
  bool conversation_is_lost_ = false;
  std::size_t background_jobs_ = 0;
  bool is_up_ = false;  // it has said something
  bool working_ = false;
  std::optional<TurnEnd> cut_by_us_;  // what the turn's end will say
  double session_cost_usd_;
  std::size_t noise_lines_ = 0;
  int last_request_ = 0;
  env::Timer start_;  // until its first output
  env::Timer silence_;
  env::Timer quiet_;  // until its silence is told
  env::Timer whole_turn_;
  env::Timer obedience_;
};

}  // namespace teamster::agent
