#include "protocol/client/home_owner.h"

#include <fmt/format.h>

namespace teamster::hub {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kOfOthers = 0006;  // what a file's mode allows to everybody

// The directory of a process belongs to the user it runs as.
std::optional<std::uint32_t> own_uid(env::Files& files) {
  const auto self = files.status("/proc/self");
  return self && *self ? std::optional((*self)->owner_uid) : std::nullopt;
}

std::string user_name(std::uint32_t uid) { return uid == kRoot ? "root" : fmt::format("the user {}", uid); }

}  // namespace

std::optional<Error> kept_by_another(env::Files& files, const Home& home) {
  const auto own = own_uid(files);
  if (!own || *own == kRoot) return std::nullopt;
  for (const auto& path : {home.path(), home.cookie_file(), home.lock_file(), home.store_file(),
                           home.store_file() + "-wal", home.path() + "/" + home.socket().name}) {
    const auto status = files.status(path);
    if (!status || !*status) continue;
    const std::uint32_t owner = (*status)->owner_uid;
    if (owner == *own || ((*status)->mode & kOfOthers) == kOfOthers) continue;
    return Error{Code::refused,
                 fmt::format("{} belongs to {}, and this user has no permission to use it", path, user_name(owner)),
                 fmt::format("If a command was run here as {}, give the home back: sudo chown -R \"$(id -un)\" '{}'",
                             user_name(owner), home.path())};
  }
  return std::nullopt;
}

Error explained(env::Files& files, const Home& home, const Error& error) {
  if (error.code != Code::refused && error.code != Code::failed && error.code != Code::unavailable) return error;
  return kept_by_another(files, home).value_or(error);
}

}  // namespace teamster::hub
