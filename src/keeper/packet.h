// Packet: what host and keeper say to each other, on a socket that keeps packets whole.
// A value and its text; pure. Descriptors travel beside it (the child's three pipe ends
// with a spawn).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/processes.h"

namespace teamster::keeper {

struct Packet {
  enum class Kind {
    spawn,    // to the keeper: start `spawn`
    signal,   // to the keeper: send signal `number` to the child's group
    end,      // to the keeper: SIGTERM, after `number` milliseconds SIGKILL, to all the child left
    started,  // from the keeper: the child's pid is `number`
    failed,   // from the keeper: it could not be started, errno is `number`
    exited,   // from the keeper: the child ended, with code or signal `number`
    gone,     // from the keeper: nothing is left of it or of what it started
  };
  Kind kind = Kind::gone;
  std::int64_t child = 0;  // the host numbers its children
  std::int64_t number = 0;
  bool signaled = false;  // of exited
  env::Spawn spawn = {};

  // Code::invalid when it does not fit into a packet.
  Result<std::string> encode() const;
  static Result<Packet> decode(std::string_view text);
};

}  // namespace teamster::keeper
