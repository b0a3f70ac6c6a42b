// Starts one child of the keeper: own process group, given standard streams, nothing else
// inherited, killed by the kernel when the keeper dies.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "env/processes.h"

namespace teamster::keeper {

struct ChildStreams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

// The pid, or minus the errno of what failed, exec included. `descriptors` is the child's
// limit of open files.
pid_t start_child(const env::Spawn& spawn, const ChildStreams& streams, const rlimit& descriptors);

// Lets this process open as many files as the system allows it; returns the limit it had.
rlimit raise_descriptor_limit();

}  // namespace teamster::keeper
