// RehearsedProject: examples/plain on the simulated machine: its files with a first commit, the rehearsal scripts of
// its agents, and what the commands in them do to the simulated disk. By a seed, agents are slow, silent, garbled, cut
// in the middle of a line, overloaded or deaf, each of them once in a turn. Values and files; no state.
#pragma once

#include <string>

#include "env/files.h"
#include "env/sim/sim_random.h"
#include "support/simulated_shell.h"

namespace teamster::simulation {

inline constexpr const char* kProject = "/home/user/project";
inline constexpr const char* kScripts = "/home/user/scripts";
// Subject of the one commit that the builder makes.
inline constexpr const char* kBuilderCommit = "feat: implement spec 01 - shout";

// The files as a user has them before the run.
void write_project(env::Files& files);

struct Troubles {
  double chance = 0;  // for each turn that an agent is told, the first time in a conversation
};
// ROLE.json for each role, and beside it the same without troubles; returns how many troubles there are.
int write_scripts(env::Files& files, const Troubles& troubles, env::sim::SimRandom& random);

// Whether it is a conversation, which conversation a member has, or the work of an agent. That programs of others sync
// what they write nobody can promise, so power cuts do not take it; conversations are lost where a test says so.
bool is_of_agents(const std::string& path);

// Of scripts and workflow.
SimulatedShell::Commands project_commands();

}  // namespace teamster::simulation
