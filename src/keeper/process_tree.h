// What /proc says about processes that are not ours to wait for: whose children they are,
// and which keeper's mark is in their environment. Read anew on each call.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/processes.h"

namespace teamster::keeper {

// Every child gets these in its environment, and so does whatever it starts.
inline constexpr const char* kKeeperVariable = "TEAMSTER_KEEPER";
inline constexpr const char* kChildVariable = "TEAMSTER_CHILD";

std::string mark_of_keeper(const env::ProcessIdentity& keeper);

// Living children and zombies of this process.
std::vector<pid_t> children_of(pid_t parent);

// The environment with which the process was started, each entry with a zero at its end.
// Empty also when the process is gone, not ours to look at, or just becoming another
// program: the system shows the new environment a moment after the old one is gone.
std::string environment_of(pid_t process);
std::optional<std::string> variable_in(const std::string& environment, const std::string& name);
std::optional<std::string> variable_of(pid_t process, const std::string& name);

// Living processes with this name, or NAME-…, which are at or below the directory, or name it in their words;
// also those of others, of which the system does not say where they are.
std::vector<pid_t> programs_at(const std::string& name, const std::string& directory);

// Ends, with SIGKILL, every process of this machine whose mark is of a keeper for which
// `is_over` holds, and returns how many there were.
int end_marked(const std::function<bool(const std::string& keeper)>& is_over);

}  // namespace teamster::keeper
