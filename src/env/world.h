// World: everything outside the process, as one argument. Borrowed by whoever gets it;
// real::World or sim::World owns the parts and outlives them.
#pragma once

namespace teamster::env {

class Clock;
class Files;
class Loop;
class Network;
class Processes;
class Random;

struct World {
  Clock& clock;
  Loop& loop;
  Files& files;
  Network& network;
  Processes& processes;
  Random& random;
};

}  // namespace teamster::env
