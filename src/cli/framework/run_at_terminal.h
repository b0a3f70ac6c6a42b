// RunAtTerminal: a run that this process drives, and what its user sees of it and says to it: lines while it goes on
// and a live one below them, questions and their answers, Ctrl-C (cancel it, or leave it to the background). Shared by
// `run` and `resume`. Owned by the command; uses the process's loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "cli/framework/live_screen.h"
#include "cli/framework/runs.h"
#include "cli/text/live_line.h"
#include "engine/live_run.h"
#include "engine/run_service.h"
#include "env/later.h"
#include "people/terminal/terminal_transport.h"
#include "protocol/client/calls.h"
#include "protocol/client/home.h"
#include "protocol/client/run_calls.h"
#include "rehearsal/rehearsal_faults.h"
#include "rehearsal/rehearsal_time.h"

namespace teamster::cli {

struct RunAtTerminalOptions {
  bool waits = true;                     // for people; otherwise it ends at the first question
  bool shows = true;                     // lines while it goes on
  std::vector<StagedFault> faults = {};  // of a rehearsal
  // What people answer, in place of those of the rehearsal; nullopt: they are asked.
  std::function<std::optional<engine::PlayedReply>(const workflow::RunCommand& question)> people = {};
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
  void taken_up(const std::string& run, const workflow::RunState& state);
  void show_before(const std::string& run, const hub::ReadRun::Answer& page);
  void show_held();
  void recorded(const std::string& run, const engine::Recorded& recorded);
  void show(const std::string& run, const engine::Recorded& recorded);
  void asked(const std::string& run, const workflow::RunCommand& question, bool again);
  void say_how_to_answer(const people::Posting& posting);
  void question_over(const std::string& id, const std::string& by);
  void replied(const people::TransportReply& reply);
  void interrupted();
  void offer_choice();
  void typed(const std::optional<std::string>& line);
  void nobody_types();
  void choose(const std::string& line);
  void cancel();
  void leave(Leaving how);
  std::int64_t pid_of(const std::string& whom);
  // Words of others, and ours.
  void say(const std::string& text);
  void say_line(const std::string& printable);

  Context& context_;
  RunAtTerminalOptions options_;
  env::World world_;
  hub::Client hub_;
  std::unique_ptr<RehearsalTime> time_;  // of a rehearsal; its timers go first
  RehearsalFaults faults_;
  engine::LiveRunParts parts_;
  hub::Calls calls_;
  LiveLine live_;
  people::TerminalTransport terminal_;
  LiveScreen screen_;
  env::Registration replies_;
  env::Registration input_;  // while somebody is at the terminal
  std::map<std::string, people::Posting> postings_;
  std::map<std::string, std::int64_t> shown_;  // of each run: the number of the last record that was shown
  // Records of runs that were taken up, until what came before them is shown.
  std::map<std::string, std::vector<engine::Recorded>> held_;
  std::unique_ptr<engine::LiveRun> run_;  // tells all of the above, so it goes first
  std::optional<Result<void>> outcome_;
  bool is_stuck_ = false;     // in a rehearsal: on a question that nobody is there to answer
  bool is_choosing_ = false;  // the user is asked what Ctrl-C meant
  bool had_input_ = false;
  int interrupts_ = 0;
  bool is_cancelled_ = false;
  std::set<std::string> told_of_;  // places of teams that somebody left
  Leaving leaving_ = Leaving::no;
  env::Later later_;
};

}  // namespace teamster::cli
