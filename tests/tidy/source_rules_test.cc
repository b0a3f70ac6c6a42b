// The rules of CONTRIBUTING.md that a program can check, one test each. There is no list of
// exceptions: a file that needs one needs another shape.
#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidy/braced_lists.h"
#include "tidy/source_tree.h"

namespace teamster::tidy {
namespace {

constexpr std::size_t kHeaderCommentMinLines = 2;
constexpr std::size_t kFileMaxLines = 400;
constexpr std::size_t kFunctionMaxLines = 70;

// Built from pieces, so that this file does not contain what it forbids.
std::string joined(const char* a, const char* b) { return std::string(a) + b; }

// "path:line" of each line of `text` in which the pattern is found.
std::vector<std::string> places(const std::string& path, const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::regex_search(lines[i], pattern)) found.push_back(path + ":" + std::to_string(i + 1) + ": " + lines[i]);
  }
  return found;
}

void expect_none(const std::vector<std::string>& found, const std::string& rule) {
  for (const auto& place : found) ADD_FAILURE() << rule << ": " << place;
}

TEST(SourceRules, AHeaderOpensWithWhatItIs) {
  for (const auto& file : cpp_files("")) {
    if (!file.is_header()) continue;
    const auto lines = lines_of(file.text);
    const auto end = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return !line.starts_with("//"); });
    EXPECT_GE(static_cast<std::size_t>(end - lines.begin()), kHeaderCommentMinLines)
        << file.path << " must open with 2 to 6 lines that say what it is, who owns it and what it guarantees";
    EXPECT_TRUE(end != lines.end() && *end == "#pragma once")
        << file.path << ": #pragma once follows the opening comment";
  }
}

TEST(SourceRules, AFileFitsInOneHead) {
  for (const auto& file : cpp_files("")) {
    if (file.is_test()) continue;
    EXPECT_LE(lines_of(file.text).size(), kFileMaxLines) << file.path << " has become two things; split it";
  }
}

TEST(SourceRules, AFunctionFitsOnOneScreen) {
  for (const auto& file : cpp_files("")) {
    for (const auto& function : functions_of(file))
      EXPECT_LE(function.lines(), kFunctionMaxLines)
          << file.path << ":" << function.first_line << ": the function is too long";
  }
}

TEST(SourceRules, NothingIsLeftForLater) {
  const std::regex pattern("\\b(" + joined("TO", "DO") + "|" + joined("FIX", "ME") + "|" + joined("X", "XX") + ")\\b");
  for (const auto& file : cpp_files("")) expect_none(places(file.path, file.text, pattern), "write an issue instead");
}

// What the list has made before is not destroyed when TRY returns; base/result.h says more.
TEST(SourceRules, NothingIsTriedInsideAList) {
  for (const auto& file : cpp_files("")) {
    for (const std::size_t line : lines_that_try_in_a_list(blank_literals_and_comments(file.text)))
      ADD_FAILURE() << file.path << ":" << line << ": try it before the braces, and name what it gives";
  }
}

// A flag that callbacks share with their owner is forgotten in one of them sooner or later.
TEST(SourceRules, NoCallbackOutlivesItsOwner) {
  const std::regex flag(R"((shared|weak)_ptr<\s*(const\s+)?bool\s*>)");
  const std::regex posted(R"(\bpost\(\[[^\]]*\bthis\b)");
  for (const auto& file : cpp_files("src")) {
    const std::string text = blank_literals_and_comments(file.text);
    expect_none(places(file.path, text, flag), "tie the callback to its owner (env/bond.h)");
    expect_none(places(file.path, text, posted), "let env/later.h call it, or tie it to its owner (env/bond.h)");
  }
}

// What is asked of the hub is typed, and spelled as JSON by the codecs of src/protocol alone. The hub itself reads it,
// and the agents' tools pass on what agents give them.
TEST(SourceRules, WhatIsAskedOfTheHubIsTyped) {
  const std::regex raw(
      R"(\boperation::k|\bhub::Request( [a-z_]+)?\s*\{|\.op = |\b(call|call_owned|call_and_wait|call_for_text)\(\{)");
  for (const auto& file : cpp_files("src")) {
    const bool may = std::regex_search(file.path, std::regex("^src/(protocol|hub|team|mcp)/"));
    if (may || file.is_test()) continue;
    expect_none(places(file.path, blank_literals_and_comments(file.text), raw), "use protocol/client/*_calls.h");
  }
}

// Commands talk to the engine through its service. What drives a run is driven by the engine alone.
TEST(SourceRules, TheCommandLineDrivesNoRun) {
  const std::set<std::string> kSurface = {
      "engine/left_teams.h",    "engine/live_run.h",        "engine/recorded.h",      "engine/replay.h",
      "engine/retrospective.h", "engine/run_preparation.h", "engine/run_questions.h", "engine/run_service.h",
      "engine/run_setup.h",     "engine/run_view.h",        "engine/series_tasks.h",  "engine/task_import.h",
      "engine/team_overview.h", "engine/team_questions.h"};
  const std::regex inside(R"(run\.(lease|append)|workflow::next|JournalFold)");
  for (const auto& file : cpp_files("src/cli")) {
    if (file.is_test()) continue;
    expect_none(places(file.path, file.text, inside), "that is the engine's to do");
    for (const auto& include : includes_of(file))
      EXPECT_TRUE(!include.target.starts_with("engine/") || kSurface.contains(include.target))
          << file.path << " includes " << include.target << ", which is inside of the engine; use engine/run_service.h";
  }
}

// Time and chance come from env, or nothing could be simulated.
TEST(SourceRules, TimeAndChanceComeFromTheWorld) {
  const std::regex pattern(
      R"(\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday|random_device|getrandom|getentropy|this_thread|usleep|nanosleep)\b|\bs?rand\s*\(|\btime\s*\(\s*(nullptr|NULL|0)\s*\))");
  for (const auto& file : cpp_files("src")) {
    if (file.path.starts_with("src/env/real/")) continue;
    expect_none(places(file.path, blank_literals_and_comments(file.text), pattern), "ask env::Clock, Loop or Random");
  }
}

struct Library {
  std::string include;  // a whole name, or a prefix that ends in '/'
  std::string allowed;  // a regular expression on the path of the including file
  std::string reason;
};

// Each library lives in few places, and never in a header that others include.
const std::vector<Library>& libraries() {
  static const std::vector<Library> all = {
      {"sqlite3.h",
       R"(src/store/[a-z0-9_]+\.cc|src/env/sim/.*|src/.*_test\.cc|(tests/[a-z0-9_]+|bench)/[a-z0-9_]+\.cc)",
       "SQLite is known to store and the simulated disk alone"},
      {"nlohmann/json_fwd.hpp", R"(.*)", "declares only"},
      {"nlohmann/json.hpp", R"(.*)", "see AHeaderIncludesJsonOnlyToHoldOne"},
      {"yaml-cpp/", R"(src/yaml/document\.cc)", "use workflow::parse_document"},
      {"re2/", R"(src/base/pattern\.cc)", "use Pattern"},
      {"regex", R"(.*_test\.cc|tests/.*)", "std::regex takes exponential time: use Pattern"},
      {"tl/expected.hpp", R"(src/base/result\.h)", "use Result"},
      {"fmt/", R"(.*\.cc)", "formatting is no part of an interface"},
      {"gtest/", R"(.*_test\.cc|.*_for_test\.(h|cc)|tests/.*)", "tests only"},
  };
  return all;
}

// Headers of C, C++ and the kernel have no slash, or one of these before it.
bool is_system_header(const std::string& include) {
  static const std::regex kSystem(R"(^[a-z0-9_]+(\.h)?$|^(sys|linux|net|netinet|arpa|sanitizer)/[a-z0-9_]+\.h$)");
  return std::regex_match(include, kSystem);
}

TEST(SourceRules, ALibraryIsIncludedWhereItLives) {
  for (const auto& file : cpp_files("")) {
    for (const auto& include : includes_of(file)) {
      if (!include.is_system) continue;
      const auto library = std::find_if(libraries().begin(), libraries().end(), [&](const auto& candidate) {
        const bool is_prefix = candidate.include.ends_with('/');
        return is_prefix ? include.target.starts_with(candidate.include) : include.target == candidate.include;
      });
      const std::string place = file.path + ":" + std::to_string(include.line) + ": <" + include.target + ">";
      if (library == libraries().end()) {
        EXPECT_TRUE(is_system_header(include.target)) << place << ": a library without a line in this test";
      } else {
        EXPECT_TRUE(std::regex_match(file.path, std::regex(library->allowed))) << place << ": " << library->reason;
      }
    }
  }
}

// It is the most expensive header there is; base/json.h declares what parameters need.
TEST(SourceRules, AHeaderIncludesJsonOnlyToHoldOne) {
  const std::regex holds(R"(\bJson( [a-z_]+( =|\{|;)|>))");
  for (const auto& file : cpp_files("")) {
    if (!file.is_header() || file.is_test()) continue;
    for (const auto& include : includes_of(file)) {
      if (include.target != "nlohmann/json.hpp") continue;
      EXPECT_TRUE(std::regex_search(blank_literals_and_comments(file.text), holds))
          << file.path << ": include base/json.h here and <nlohmann/json.hpp> in the .cc";
    }
  }
}

TEST(SourceRules, OutputGoesThroughTheCommandLine) {
  for (const auto& file : cpp_files("src")) {
    for (const auto& include : includes_of(file))
      EXPECT_NE(include.target, "iostream") << file.path << ": iostream costs start-up time and hides errors";
  }
}

// A path or host of the machine something was written on works nowhere else.
TEST(SourceRules, NoFileNamesTheMachineItWasWrittenOn) {
  const std::regex pattern("(^|[^a-zA-Z0-9_.}])(" + joined("/wo", "rk/") + "|" + joined("/ro", "ot/") + ")|" +
                           joined("deb.deb", "ian.org") + "|" + joined("registry.npm", "js"));
  for (const auto& file : all_files()) {
    if (file.path.starts_with("fuzz/corpus/")) continue;
    expect_none(places(file.path, file.text, pattern), "a name of somebody's machine");
  }
}

TEST(SourceRules, TextFilesEndWithANewlineAndHaveNoTrailingSpace) {
  for (const auto& file : all_files()) {
    if (file.path.starts_with("fuzz/corpus/") || file.text.empty()) continue;
    if (file.text.find('\0') != std::string::npos) continue;
    EXPECT_EQ(file.text.back(), '\n') << file.path;
    if (file.path.ends_with(".md") || file.path.ends_with(".h") || file.path.ends_with(".cc"))
      expect_none(places(file.path, file.text, std::regex("[ \t]$")), "trailing space");
  }
}

}  // namespace
}  // namespace teamster::tidy
