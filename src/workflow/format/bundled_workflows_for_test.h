// The workflows of this source tree as bundles, for tests: the built-in ones, those of the examples, good ones that use
// every key, and broken ones. Tests only.
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

inline std::filesystem::path source_directory() { return TEAMSTER_SOURCE_DIR; }

// By the names of the directories in this one.
inline std::map<std::string, Bundle> bundles_in(const std::filesystem::path& directory) {
  std::map<std::string, Bundle> all;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.is_directory()) all[entry.path().filename().string()] = bundle_in(entry.path());
  return all;
}

inline std::map<std::string, Bundle> bundled_workflows() { return bundles_in(source_directory() / "workflows"); }

// All that have to be accepted, by their paths.
inline std::map<std::string, Bundle> good_workflows() {
  std::map<std::string, Bundle> all;
  for (const char* place : {"workflows", "tests/good_workflows", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_directory() / place))
      if (entry.path().filename() == kWorkflowFile)
        all[std::filesystem::relative(entry.path(), source_directory()).string()] =
            bundle_in(entry.path().parent_path());
  return all;
}

// The text of each workflow.yaml of tests/broken_workflows, by its name.
inline std::map<std::string, std::string> broken_workflows() {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(source_directory() / "tests/broken_workflows"))
    if (entry.path().extension() == ".yaml") all[entry.path().stem().string()] = file_contents(entry.path());
  return all;
}

// With the files that broken ones refer to.
inline Bundle broken_bundle(const std::string& text) {
  Bundle bundle = bundle_in(source_directory() / "tests/broken_workflows/files");
  bundle[kWorkflowFile] = text;
  return bundle;
}

}  // namespace teamster::workflow
