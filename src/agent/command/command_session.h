// CommandSession: a Session whose turns are runs of a program. It has no memory of its own
// between turns; inputs that come while one runs wait for the next. Owned by the caller;
// driven by the loop.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "agent/driver.h"
#include "agent/process.h"
#include "agent/session.h"
#include "env/later.h"
#include "env/processes.h"

namespace teamster::agent {

class CommandSession : public Session {
 public:
  CommandSession(const env::World& world, env::Spawn spawn, const SessionLimits& limits, SessionListener& listener);
  ~CommandSession() override;

  void say(SessionInput input) override;
  void interrupt() override;
  void close() override;
  bool is_working() const override { return !running_.empty(); }
  std::int64_t pid() const override { return process_ ? process_->pid() : 0; }

 private:
  void begin_turn();
  void take_output(std::string_view bytes);
  void cut(Fault fault, std::string why);
  void process_ended(env::ExitStatus status, const std::string& what);
  void end_turn(TurnEnd end);

  env::World world_;
  const env::Spawn spawn_;
  const SessionLimits limits_;
  SessionListener& listener_;
  std::unique_ptr<Process> process_;
  std::vector<SessionInput> waiting_;
  std::vector<SessionInput> running_;
  std::string output_;
  std::optional<TurnEnd> cut_by_us_;
  bool closing_ = false;
  env::Timer silence_;
  env::Timer whole_turn_;
  env::Later later_;
};

}  // namespace teamster::agent
