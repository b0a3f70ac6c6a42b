// Liveness: whether a process that somebody wrote down still lives, as far as this process can tell. What runs on
// another machine or in another pid namespace cannot be seen from here, so only time can tell (the lease of a run).
// Functions on the world's processes.
#pragma once

#include "env/processes.h"

namespace teamster::env {

enum class Liveness {
  alive,
  dead,
  elsewhere,  // cannot be seen from here
};

// In our own pid namespace a process is judged by pid and start time. After another boot of the same machine it is
// dead, as long as no container is in play: machine ids may come with an image, and so be those of many. What older
// programs wrote does not say where it was, and is judged as if it were here.
Liveness liveness_of(Processes& processes, const ProcessIdentity& process);
// The same for who asks about many: `here` is what `processes.self()` says.
Liveness liveness_of(Processes& processes, const ProcessIdentity& process, const ProcessIdentity& here);

}  // namespace teamster::env
