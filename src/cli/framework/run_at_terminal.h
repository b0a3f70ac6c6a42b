// RunAtTerminal: a run that this process drives, and what its user sees of it and says to it: lines while it goes on,
// questions and their answers, Ctrl-C (cancel it, or leave it to the background). Shared by `run` and `resume`. Owned
// by the command; uses the process's loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "cli/framework/runs.h"
#include "engine/live_run.h"
#include "engine/run_service.h"
#include "people/terminal/terminal_transport.h"
#include "protocol/client/calls.h"
#include "protocol/client/home.h"
#include "rehearsal/rehearsal_faults.h"
#include "rehearsal/rehearsal_time.h"

namespace teamster::cli {

struct RunAtTerminalOptions {
  bool waits = true;               // for people; otherwise it ends at the first question
  bool shows = true;               // lines while it goes on
  std::vector<Fault> faults = {};  // of a rehearsal
  // What people answer, in place of those of the rehearsal; nullopt: they are asked.
  std::function<std::optional<Json>(const workflow::RunCommand& question)> people = {};
};

// What is told of a run at the end of a command.
struct RunEnd {
  int code = 0;
  Json document;     // for --json
  std::string text;  // for people; may be empty
};
int print_end(Context& context, const RunEnd& end);
// Of a run that has ended before.
RunEnd end_of(const engine::RunView& view);

class RunAtTerminal {
 public:
  RunAtTerminal(Context& context, const hub::Home& home, RunAtTerminalOptions options);
  ~RunAtTerminal();

  // What the run is made with: for a RunPreparation before it starts.
  const engine::LiveRunParts& parts() const { return parts_; }

  // Both run the loop until the run is over.
  Result<RunEnd> start(engine::RunToStart run);
  Result<RunEnd> take_up(const engine::RunService& runs, const std::string& run);

 private:
  // In the middle: to a process in the background, or to nobody.
  enum class Leaving { no, to_background, to_nobody };

  std::unique_ptr<RehearsalTime> make_rehearsal_time(const std::string& directory);
  engine::RunObserver observer();
  Result<RunEnd> drive();
  Result<RunEnd> left();
  RunEnd end(int code) const;
  bool is_over() const;
  void show(const std::string& run, const engine::Recorded& recorded);
  void asked(const std::string& run, const workflow::RunCommand& question, bool again);
  void replied(const people::TransportReply& reply);
  void interrupted();
  void typed();
  void choose(const std::optional<std::string>& line);
  void cancel();
  void leave(Leaving how);
  std::int64_t pid_of(const std::string& whom);
  void say(const std::string& line);

  Context& context_;
  RunAtTerminalOptions options_;
  env::World world_;
  hub::Client hub_;
  std::unique_ptr<RehearsalTime> time_;  // of a rehearsal; its timers go first
  RehearsalFaults faults_;
  engine::LiveRunParts parts_;
  hub::Calls calls_;
  std::unique_ptr<engine::LiveRun> run_;
  people::TerminalTransport terminal_;
  env::Registration replies_;
  env::Registration input_;  // while somebody is at the terminal
  std::map<std::string, people::Posting> postings_;
  std::optional<Result<void>> outcome_;
  bool is_stuck_ = false;     // in a rehearsal: on a question that nobody is there to answer
  bool is_choosing_ = false;  // the user is asked what Ctrl-C meant
  int interrupts_ = 0;
  bool is_cancelled_ = false;
  Leaving leaving_ = Leaving::no;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace teamster::cli
