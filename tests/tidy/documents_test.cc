// What is written about the program agrees with it: tests are registered, pages are linked,
// links lead somewhere.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tidy/source_tree.h"

namespace teamster::tidy {
namespace {

std::set<std::string> arguments_of(const std::string& cmake, const std::string& function) {
  const std::regex call("(?:^|\n)" + function + "\\(([a-z0-9_/]+)");
  std::set<std::string> found;
  for (auto it = std::sregex_iterator(cmake.begin(), cmake.end(), call); it != std::sregex_iterator(); ++it)
    found.insert((*it)[1]);
  return found;
}

TEST(Documents, EveryTestBesideTheCodeIsBuilt) {
  const auto registered = arguments_of(read_file("tests/CMakeLists.txt"), "teamster_module_tests");
  for (const auto& file : cpp_files("src")) {
    if (!file.is_test()) continue;
    const std::string module = module_of(std::string_view(file.path).substr(4));
    EXPECT_TRUE(registered.contains(module))
        << file.path << ": tests/CMakeLists.txt has no teamster_module_tests(" << module << ")";
  }
}

TEST(Documents, EverySuiteIsBuilt) {
  const auto registered = arguments_of(read_file("tests/CMakeLists.txt"), "teamster_suite");
  for (const auto& file : cpp_files("tests")) {
    const std::string suite = file.path.substr(6, file.path.find('/', 6) - 6);
    const bool is_shared = suite.find('.') != std::string::npos || suite == "support";
    EXPECT_TRUE(is_shared || registered.contains(suite))
        << file.path << ": tests/CMakeLists.txt has no teamster_suite(" << suite << ")";
  }
}

TEST(Documents, EveryFuzzTargetIsBuiltAndHasSeeds) {
  const auto registered = arguments_of(read_file("fuzz/CMakeLists.txt"), "teamster_fuzz");
  for (const auto& file : cpp_files("fuzz")) {
    if (file.is_header()) continue;
    const std::string target = std::filesystem::path(file.path).stem();
    EXPECT_TRUE(registered.contains(target)) << file.path << " is not built";
    const auto& files = all_files();
    const bool has_seed = std::any_of(files.begin(), files.end(), [&](const auto& seed) {
      return seed.path.starts_with("fuzz/corpus/" + target + "/");
    });
    EXPECT_TRUE(has_seed) << "fuzz/corpus/" << target << " has no seed";
  }
}

// The fuzz preset is not part of every change's tests: a source that moved would break it unseen.
TEST(Documents, EverySourceOfAFuzzTargetIsThere) {
  const std::string cmake = read_file("fuzz/CMakeLists.txt");
  const std::regex source(R"(\$\{CMAKE_SOURCE_DIR\}/(\S+\.cc))");
  for (auto it = std::sregex_iterator(cmake.begin(), cmake.end(), source); it != std::sregex_iterator(); ++it)
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(TEAMSTER_SOURCE_DIR) / (*it)[1].str())) << (*it)[1];
}

TEST(Documents, EveryFormatIsLinkedFromTheFrontPages) {
  const std::string front = read_file("README.md") + read_file("ARCHITECTURE.md");
  for (const auto& file : all_files()) {
    if (!file.path.starts_with("docs/formats/") || !file.path.ends_with(".md")) continue;
    EXPECT_NE(front.find("(" + file.path + ")"), std::string::npos)
        << file.path << " is linked from neither front page";
  }
}

TEST(Documents, LinksLeadSomewhere) {
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  const std::filesystem::path root = TEAMSTER_SOURCE_DIR;
  for (const auto& file : all_files()) {
    if (!file.path.ends_with(".md")) continue;
    for (auto it = std::sregex_iterator(file.text.begin(), file.text.end(), link); it != std::sregex_iterator(); ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos) continue;
      const auto place = root / std::filesystem::path(file.path).parent_path() / target;
      EXPECT_TRUE(std::filesystem::exists(place)) << file.path << " links to " << target;
    }
  }
}

}  // namespace
}  // namespace teamster::tidy
