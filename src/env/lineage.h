// Lineage: whether a process is one of an agent: below a keeper of a home. Functions on the world's processes and
// files.
//
// A keeper is recognised by its name, which it sets before it has a child and which the system lets nobody but the
// process itself change; not by files or environment, which agents can change, nor by its program, which may be
// replaced on disk. Its words say whose it is. Who is below it stays below it: it is the subreaper, so whatever is
// orphaned comes to it. What lives on when its keeper was killed is below none; docs/formats/agent.md says what becomes
// of that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/files.h"
#include "env/processes.h"

namespace teamster::env {

inline constexpr const char* kKeeperName = "teamster-keeper";

// The words of a keeper that is started for this home, program first. A home without a path: of any.
std::vector<std::string> keeper_arguments(Files& files, const std::string& home);

enum class Lineage {
  free,       // below no keeper of this home
  kept,       // below one, or below one that does not say of which home
  uncertain,  // the process itself is gone, or its ancestors come and go too fast to be followed
};

// `start_ticks` is that of the process that is meant; another one that has its pid by now says nothing about it. Where
// the system hides an ancestor (hidepid), lineage ends there.
Lineage lineage_of(Processes& processes, Files& files, const ProcessIdentity& process, const std::string& home);

}  // namespace teamster::env
