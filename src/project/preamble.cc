#include "project/preamble.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kLanguagesMax = 6;
constexpr std::size_t kDirectoriesMax = 40;

const std::map<std::string, std::string>& language_names() {
  static const std::map<std::string, std::string> kNames = {{"c", "C"},
                                                            {"h", "C or C++ headers"},
                                                            {"cc", "C++"},
                                                            {"cpp", "C++"},
                                                            {"cxx", "C++"},
                                                            {"hpp", "C++"},
                                                            {"rs", "Rust"},
                                                            {"go", "Go"},
                                                            {"py", "Python"},
                                                            {"js", "JavaScript"},
                                                            {"mjs", "JavaScript"},
                                                            {"jsx", "JavaScript"},
                                                            {"ts", "TypeScript"},
                                                            {"tsx", "TypeScript"},
                                                            {"java", "Java"},
                                                            {"kt", "Kotlin"},
                                                            {"swift", "Swift"},
                                                            {"rb", "Ruby"},
                                                            {"php", "PHP"},
                                                            {"cs", "C#"},
                                                            {"sh", "Shell"},
                                                            {"bash", "Shell"},
                                                            {"sql", "SQL"},
                                                            {"html", "HTML"},
                                                            {"css", "CSS"},
                                                            {"scss", "CSS"},
                                                            {"lua", "Lua"},
                                                            {"zig", "Zig"},
                                                            {"scala", "Scala"},
                                                            {"ex", "Elixir"},
                                                            {"exs", "Elixir"},
                                                            {"dart", "Dart"},
                                                            {"vue", "Vue"},
                                                            {"svelte", "Svelte"}};
  return kNames;
}

const std::string* content_of(const ProjectFacts& facts, const char* name) {
  const auto found = facts.contents.find(name);
  return found == facts.contents.end() ? nullptr : &found->second;
}

bool has(const ProjectFacts& facts, const char* name) { return content_of(facts, name) != nullptr; }

// A line "NAME:" at its beginning, as make wants it.
bool has_target(const std::string& makefile, const std::string& name) {
  const std::string rule = name + ":";
  return makefile.starts_with(rule) || makefile.find("\n" + rule) != std::string::npos;
}

void add_make(const ProjectFacts& facts, std::vector<ProjectCommand>& commands) {
  const std::string* makefile = content_of(facts, "Makefile");
  if (makefile == nullptr) return;
  commands.push_back({"build", "make"});
  for (const char* target : {"test", "check"}) {
    if (!has_target(*makefile, target)) continue;
    commands.push_back({"tests", fmt::format("make {}", target)});
    return;
  }
}

void add_node(const ProjectFacts& facts, std::vector<ProjectCommand>& commands) {
  const std::string* file = content_of(facts, "package.json");
  if (file == nullptr) return;
  const std::string program = has(facts, "pnpm-lock.yaml") ? "pnpm" : has(facts, "yarn.lock") ? "yarn" : "npm";
  const auto package = parse_json(*file);
  if (!package || !package->is_object()) return;
  const auto scripts = package->find("scripts");
  if (scripts == package->end() || !scripts->is_object()) return;
  for (const char* script : {"build", "typecheck", "lint"})
    if (scripts->contains(script)) commands.push_back({script, fmt::format("{} run {}", program, script)});
  if (scripts->contains("test")) commands.push_back({"tests", program + " test"});
}

// Only what is plain goes into the table: a name can hold anything.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '+';
  });
}

std::string purpose_of(const std::string& directory) {
  static const std::map<std::string, std::string> kKnown = {{"src", "the code"},
                                                            {"lib", "the code of libraries"},
                                                            {"include", "headers for others"},
                                                            {"tests", "tests"},
                                                            {"test", "tests"},
                                                            {"docs", "documentation"},
                                                            {"doc", "documentation"},
                                                            {"examples", "examples"},
                                                            {"scripts", "scripts for developers"},
                                                            {"specs", "not yours to change"},
                                                            {"progress", "not yours to change"}};
  const auto found = kKnown.find(directory);
  return found == kKnown.end() ? "(say what is in it)" : found->second;
}

std::string languages_section(const ProjectFacts& facts) {
  const auto languages = languages_of(facts);
  if (languages.empty()) return "(Name the languages, their versions, and which libraries may be used.)";
  return fmt::format("{}. (Add their versions, and which libraries may be used.)", join(languages, ", "));
}

std::string layout_section(const ProjectFacts& facts) {
  std::string table = "| place | what |\n|---|---|\n";
  std::size_t count = 0;
  bool names_specs = false;
  for (const auto& directory : facts.directories) {
    if (!is_plain(directory) || count++ == kDirectoriesMax) continue;
    names_specs = names_specs || directory == "specs";
    table += fmt::format("| `{}/` | {} |\n", directory, purpose_of(directory));
  }
  if (!names_specs) table += "| `specs/` | not yours to change |\n";
  return table;
}

std::string commands_section(const ProjectFacts& facts) {
  std::string table = "| what | command |\n|---|---|\n";
  for (const auto& each : commands_of(facts)) table += fmt::format("| {} | `{}` |\n", each.what, each.command);
  if (!test_command_of(facts))
    table +=
        "\n(No test command was found. Write it into this table, and as `checks.test` into `.teamster/config.yaml`: it "
        "decides whether the work is good.)\n";
  return table;
}

std::string skills_section(const ProjectFacts& facts) {
  std::string table = "| skill | specs |\n|---|---|\n";
  for (const auto& skill : facts.skills) table += fmt::format("| {} | all |\n", skill);
  return table;
}

}  // namespace

const std::vector<std::string>& telling_files() {
  static const std::vector<std::string> kFiles = {"test.sh",        "build.sh",      "Makefile",   "CMakeLists.txt",
                                                  "package.json",   "yarn.lock",     "Cargo.toml", "go.mod",
                                                  "pnpm-lock.yaml", "pyproject.toml"};
  return kFiles;
}

std::vector<std::string> languages_of(const ProjectFacts& facts) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [ending, count] : facts.endings) {
    const auto name = language_names().find(ending);
    if (name == language_names().end()) continue;
    // Headers say nothing beside the files that include them.
    const bool is_header = ending == "h";
    if (is_header && (facts.endings.count("c") + facts.endings.count("cc") + facts.endings.count("cpp")) > 0) continue;
    counts[name->second] += count;
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  for (const auto& [name, count] : sorted)
    if (names.size() < kLanguagesMax) names.push_back(name);
  return names;
}

std::vector<ProjectCommand> commands_of(const ProjectFacts& facts) {
  std::vector<ProjectCommand> commands;
  if (has(facts, "build.sh")) commands.push_back({"build", "sh build.sh"});
  if (has(facts, "test.sh")) commands.push_back({"tests", "sh test.sh"});
  add_make(facts, commands);
  add_node(facts, commands);
  if (has(facts, "Cargo.toml")) {
    commands.push_back({"build", "cargo build"});
    commands.push_back({"tests", "cargo test"});
  }
  if (has(facts, "go.mod")) {
    commands.push_back({"build", "go build ./..."});
    commands.push_back({"tests", "go test ./..."});
  }
  if (const std::string* python = content_of(facts, "pyproject.toml"))
    commands.push_back(
        {"tests", python->find("pytest") != std::string::npos ? "python3 -m pytest" : "python3 -m unittest discover"});
  if (has(facts, "CMakeLists.txt")) {
    commands.push_back({"build", "cmake -S . -B build && cmake --build build"});
    commands.push_back(
        {"tests", "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"});
  }
  return commands;
}

std::optional<std::string> test_command_of(const ProjectFacts& facts) {
  for (const auto& each : commands_of(facts))
    if (each.what == "tests") return each.command;
  return std::nullopt;
}

std::string preamble_text(const ProjectFacts& facts) {
  return fmt::format(
      "# Preamble\n\n"
      "Read before every phase. It holds for all specs of this project. (Written by `teamster init` from what is "
      "there: "
      "read it, mend it, and replace the sentences in brackets.)\n\n"
      "## Languages\n\n{}\n\n"
      "## Layout\n\n{}\n"
      "## Standards\n\n"
      "(Write what a reviewer would object to: how errors are handled, how things are named and laid out, how long "
      "functions and lines may be, what has to be documented, what must never be done.)\n\n"
      "## Import rules\n\n"
      "(Write which directory may use which, and which never. For example: files in `src/core/` use nothing of "
      "`src/ui/`.)\n\n"
      "## Test commands\n\n{}\n"
      "## Skills\n\n"
      "Texts for teammates in `.claude/skills/` and `.teamster/skills/`, and the specs that need them.\n\n{}",
      languages_section(facts), layout_section(facts), commands_section(facts), skills_section(facts));
}

std::string config_text(const ProjectFacts& facts) {
  const auto test = test_command_of(facts);
  if (!test) return {};
  std::string quoted_command;
  for (const char c : *test) quoted_command += c == '\'' ? std::string("''") : std::string(1, c);
  return fmt::format("# Settings of this project; see `teamster doctor`.\nchecks:\n  test: '{}'\n", quoted_command);
}

}  // namespace teamster::engine
