// The directory `rehearsal` in the home of a rehearsal: what its processes share. `clock` is how far its wall clock
// is ahead, `seed` what is permuted, `asleep-PID` that an agent does nothing until a time. A home without this
// directory is an ordinary one. Files and values; each file has one writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "env/files.h"
#include "env/loop.h"
#include "env/world.h"

namespace teamster::script {

std::string rehearsal_directory(const std::string& home);
std::string clock_of_rehearsal(const std::string& directory);
std::string seed_of_rehearsal(const std::string& directory);

// Whether there is one, that is a clock.
bool is_rehearsal(env::Files& files, const std::string& directory);
// nullopt: nothing is permuted.
std::optional<std::uint64_t> read_seed(env::Files& files, const std::string& directory);

// An agent that waits for a time of the rehearsal, says so, and is called back then. Its clock is moved by others.
env::Timer pause_in_rehearsal(const env::World& world, const std::string& directory, Duration span,
                              env::Callback callback);

struct Asleep {
  std::optional<WallTime> until;  // nullopt: for ever
};
// nullopt: the process is awake, as far as it says.
std::optional<Asleep> look_whether_asleep(env::Files& files, const std::string& directory, std::int64_t pid);

}  // namespace teamster::script
