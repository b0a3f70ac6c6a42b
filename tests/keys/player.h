// Player: plays a workflow in a project on the simulated machine: arguments, values and preconditions as the engine
// finds them, then the run itself, record by record, with the files that follow it. What could be seen of it is the
// Trace, by the place at which it is seen. The same workflow and play give the same trace. Used once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/run_setup.h"
#include "engine/tree_watch.h"
#include "env/sim/sim_world.h"
#include "keys/play.h"
#include "project/project_values.h"
#include "support/simulated_git.h"
#include "support/simulated_shell.h"
#include "workflow/core/next.h"

namespace teamster::keys {

// What x-effect of a key can name.
namespace place {
inline constexpr const char* kStart = "start";      // what is found, asked or refused before the run
inline constexpr const char* kJournal = "journal";  // events and what was decided, without the words of prompts
inline constexpr const char* kPrompt = "prompt";    // of turns, and standing instructions
inline constexpr const char* kProcess = "process";  // of agents and commands: arguments, environment, permissions
inline constexpr const char* kFile = "file";        // in the project, or the task that carries the state
inline constexpr const char* kShown = "shown";      // to people
inline constexpr const char* kDefault = "default";  // nowhere: it may only say what is so without it
}  // namespace place

using Trace = std::map<std::string, std::vector<std::string>>;

class Player {
 public:
  Player(const workflow::Bundle& bundle, const workflow::Workflow& workflow, const Play& play);

  Trace play();

 private:
  void note(const char* where, const std::string& line) { trace_[where].push_back(line); }
  void write_project();
  // False: the run does not start, as was noted.
  bool prepare();
  bool check_preconditions();
  void note_series();
  void show_workflow();

  void happens(workflow::RunEvent event);
  void note_record(const workflow::RunRecord& record);
  void note_process(const workflow::command::Turn& turn);
  void note_shell(const workflow::command::ShellCommand& shell);
  void note_question(const workflow::RunCommand& decided, const workflow::command::Ask& asks);
  void follow();
  void note_files();
  void note_files_below(const std::string& directory);

  // What happens to the effect, by the play or as well as it can.
  void answer(const workflow::RunCommand& effect);
  void answer_by_itself(const workflow::RunCommand& effect);
  void answer_from_play(const workflow::RunCommand& effect, const Json& said);
  void turn_done(const workflow::RunCommand& effect, const Json& said);
  void settle(const workflow::RunCommand& effect, workflow::EventBody body);
  void done(const workflow::RunCommand& effect, Json answer);
  Json answer_to(const workflow::RunCommand& effect) const;
  Json answer_to_question(const workflow::command::Ask& asks, std::int64_t attempt) const;
  bool is_due(const workflow::RunCommand& effect, const workflow::command::Ask& asks);
  void read_items(const workflow::RunCommand& effect);
  void tick(const workflow::RunCommand& effect);
  std::optional<workflow::event::Strayed> write_as(const workflow::RunCommand& effect, const Json& files);
  std::optional<Json> next_entry(const workflow::RunCommand& effect);
  void write_file(const std::string& path, const std::string& text);

  Play play_;
  env::sim::World world_{1};
  simulation::SimulatedShell shell_;
  simulation::SimulatedGits gits_;
  env::World view_;
  workflow::Pinned pinned_;
  engine::RunSetup setup_;
  workflow::event::Started started_;
  engine::Given given_;
  workflow::RunState state_;
  std::deque<std::string> waiting_;  // ids of open effects, oldest first
  std::set<std::string> roles_seen_;
  std::int64_t messages_ = 0;
  Trace trace_;
};

}  // namespace teamster::keys
