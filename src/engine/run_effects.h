// RunEffects: the effects of a run in the real world: its crew, checks and commits in the project,
// tasks, sub-runs, waiting, and the ledger that follows the state. Questions stay open until someone
// answers; when a reminder or a deadline is due that is told, also across restarts.
// Owned by the command; on its loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/redaction.h"
#include "base/result.h"
#include "engine/crew.h"
#include "engine/effects.h"
#include "engine/item_tasks.h"
#include "engine/kept_files.h"
#include "engine/state_task.h"
#include "engine/tree_watch.h"
#include "env/bond.h"
#include "env/loop.h"
#include "env/world.h"
#include "project/git_program.h"
#include "project/program.h"
#include "workflow/core/words.h"

namespace teamster::engine {

struct RunEffectsOptions {
  std::string project;  // its directory
  CrewOptions crew;
  OpenGit open_git = open_git_program;
  // Of a sub_run or an end_sub_run; it stays with whoever keeps those runs until it is settled.
  std::function<void(const Effect& effect, Effects::Settle settle)> begin_sub_run = {};
  // A question that waits for someone; `again`: it has been asked before.
  std::function<void(const Effect& question)> on_question = [](const Effect&) {};
  // Secrets that no file may hold that goes to people.
  Redaction redaction = {};
  // Said to whoever watches.
  std::function<void(const std::string& text)> on_notice = [](const std::string&) {};
  // Whether a git that is none of ours may be at work in this directory; one cannot know, so it may.
  std::function<bool(const std::string& directory)> git_is_at_work = [](const std::string&) { return true; };
};

class RunEffects : public Effects {
 public:
  RunEffects(const env::World& world, hub::Client& hub, const hub::Home& home, RunEffectsOptions options);

  void on_news(Settle news) override;
  void recorded(const workflow::RunEvent& event) override;
  void begin(const Effect& effect, const workflow::RunState& state, Settle settle) override;
  void drop(const std::string& id) override;
  // Not in a project that is gone, unless the run is being cancelled.
  Result<void> can_go_on(const workflow::RunState& state) override;
  Result<void> taken_over(const workflow::RunState& state) override;
  Result<void> follow(const workflow::RunState& state) override;
  // 0: no process runs.
  std::int64_t agent_pid(const std::string& member) const { return crew_.agent_pid(member); }

 private:
  CrewOptions with_side_turns_watched(CrewOptions crew);
  void say(const Effect& effect, const workflow::RunState& state, const Settle& settle);
  void say_with_tree(const Effect& effect, const Settle& said);
  void compare_and_settle(const Effect& effect, const Settle& settle, workflow::RunEvent outcome);
  void ask(const Effect& effect, const Settle& settle);
  env::Timer tell_when_due(const Effect& effect, const Settle& settle, const std::string& what, std::int64_t ms);
  void check(const Effect& effect, const Settle& settle);
  void run_program(const Effect& effect, const workflow::command::ShellCommand& shell, const Settle& settle);
  void notify(const Effect& effect, const Settle& settle);
  void commit(const Effect& effect, const Settle& settle);
  void make_commit(const Effect& effect, const std::string& tag, const Settle& settle);
  void put_tag(const Effect& effect, const std::string& hash, const std::string& tag, const Settle& settle);
  bool wait_for_lock(const Effect& effect, const Settle& settle, const Error& error);
  bool is_left_behind(const std::string& lock, const Effect& effect) const;
  void wait(const Effect& effect, const Settle& settle);
  void read_items(const Effect& effect, const Settle& settle);
  void tick(const Effect& effect, const Settle& settle);
  bool try_again(const Effect& effect, const Settle& settle);
  void fail_later(const Effect& effect, const Settle& settle, const std::string& error);
  Result<std::string> tag_of(const Effect& effect) const;

  env::World world_;
  const RunEffectsOptions options_;
  ItemTasks tasks_;
  StateTask state_task_;
  TreeWatch trees_;
  KeptFiles kept_;
  Crew crew_;
  std::map<std::string, std::unique_ptr<Program>> programs_;  // by effect
  std::map<std::string, std::unique_ptr<Git>> gits_;
  std::map<std::string, env::Timer> timers_;
  std::map<std::string, int> losses_;  // how often an effect was lost with the keeper
  struct CommitTry {
    WallTime since;
    int waits = 0;      // for a lock of git
    std::string entry;  // of the run
  };
  std::map<std::string, CommitTry> commits_;
  struct QuestionTimes {
    env::Timer reminder;
    env::Timer deadline;
    std::string from;  // the member that waits for the answer
  };
  std::map<std::string, QuestionTimes> questions_;
  Settle news_;
  std::map<std::string, int> side_turns_;  // by member: how many it has begun
  env::Bond bond_;
};

}  // namespace teamster::engine
