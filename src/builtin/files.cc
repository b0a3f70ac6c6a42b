#include "builtin/files.h"

namespace teamster::builtin {

std::map<std::string, std::string> files_below(const std::string& directory) {
  const std::string prefix = directory + "/";
  std::map<std::string, std::string> found;
  for (auto it = files().lower_bound(prefix); it != files().end() && it->first.starts_with(prefix); ++it)
    found.emplace(it->first.substr(prefix.size()), it->second);
  return found;
}

}  // namespace teamster::builtin
