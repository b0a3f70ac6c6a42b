#include "agent/temporary_directory.h"

#include "base/sha256.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

std::string short_name_of(const std::string& path) {
  constexpr std::size_t kDigits = 16;
  return to_hex(sha256(path)).substr(0, kDigits);
}

}  // namespace

std::string temporary_root_of(const hub::Home& home) { return "/tmp/teamster-" + short_name_of(home.path()); }

std::string temporary_directory_of(const hub::Home& home, const std::string& team, const std::string& member) {
  constexpr std::size_t kLongestMaxBytes = 70;
  const std::string directory = home.member_directory(team, member);
  const std::string own = directory + "/tmp";
  return own.size() <= kLongestMaxBytes ? own : temporary_root_of(home) + "/" + short_name_of(directory);
}

}  // namespace teamster::agent
