// The workflows of this source tree as bundles, for tests: read from workflows/ at the root.
// Also cases of broken ones. Tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "workflow/format/bundle.h"

namespace teamster::workflow {

inline std::string file_contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline Bundle bundle_in(const std::filesystem::path& directory) {
  Bundle bundle;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      bundle[std::filesystem::relative(entry.path(), directory).string()] = file_contents(entry.path());
  return bundle;
}

inline std::map<std::string, Bundle> bundled_workflows() {
  std::map<std::string, Bundle> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TEAMSTER_SOURCE_DIR) / "workflows"))
    if (entry.is_directory()) all[entry.path().filename().string()] = bundle_in(entry.path());
  return all;
}

}  // namespace teamster::workflow
