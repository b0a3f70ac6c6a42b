#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "env/files.h"
#include "project/preamble.h"
#include "skills/catalogue.h"

namespace teamster::cli::commands {
namespace {

constexpr const char* kPreamble = "specs/PREAMBLE.md";
constexpr const char* kConfig = ".teamster/config.yaml";
constexpr int kDepthMax = 6;
constexpr std::size_t kEntriesMax = 20'000;
constexpr std::size_t kFileMaxBytes = std::size_t{1024} * 1024;

bool is_output(const std::string& name) {
  for (const char* each : {"node_modules", "build", "target", "dist", "out", "vendor", "__pycache__", "venv"})
    if (name == each) return true;
  return false;
}

// Counts the endings of files; directories that are hidden or hold output are left out. Looks at so much
// and no more: a draft needs no exact numbers.
class Look {
 public:
  Look(env::Files& files, engine::ProjectFacts& facts) : files_(files), facts_(facts) {}

  void below(const std::string& directory, int depth) {
    const auto names = files_.list(directory);
    if (!names) return;
    for (const auto& name : *names) {
      if (name.starts_with('.') || ++entries_ > kEntriesMax) continue;
      const std::string path = directory + "/" + name;
      const auto status = files_.status(path);
      if (!status || !*status) continue;
      if (!(*status)->is_directory) {
        if (const std::size_t dot = name.rfind('.'); dot != name.npos && dot > 0)
          ++facts_.endings[name.substr(dot + 1)];
      } else if (!is_output(name)) {
        if (depth == 0) facts_.directories.push_back(name);
        if (depth < kDepthMax) below(path, depth + 1);
      }
    }
  }

 private:
  env::Files& files_;
  engine::ProjectFacts& facts_;
  std::size_t entries_ = 0;
};

engine::ProjectFacts facts_of(env::Files& files, const std::string& project) {
  engine::ProjectFacts facts;
  Look(files, facts).below(project, 0);
  for (const auto& name : engine::telling_files()) {
    const auto status = files.status(project + "/" + name);
    if (!status || !*status || (*status)->is_directory) continue;
    // One that is too large to be looked into is there all the same.
    facts.contents[name] = files.read(project + "/" + name, kFileMaxBytes).value_or("");
  }
  std::vector<std::unique_ptr<skills::Source>> places;
  for (const char* place : {"/.teamster/skills", "/.claude/skills"})
    places.push_back(skills::make_directory_source(files, "project", project + place));
  const skills::Catalogue catalogue(std::move(places));
  for (const auto& skill : catalogue.skills()) facts.skills.push_back(skill.head.name);
  std::sort(facts.skills.begin(), facts.skills.end());
  return facts;
}

// Whether it was written; an existing file is left alone.
Result<bool> write_new(env::Files& files, const std::string& project, const std::string& name,
                       const std::string& text) {
  const std::string path = project + "/" + name;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return fail(Code::failed, fmt::format("cannot make the directory of {}: {}", name, error.message()));
  return files.create_exclusively(path, text, 0644);
}

Result<int> run_init(Context& context, const Arguments&) {
  env::Files& files = context.outside().world().files;
  const std::string project = TRY(context.directory());
  const engine::ProjectFacts facts = facts_of(files, project);
  if (!TRY(write_new(files, project, kPreamble, engine::preamble_text(facts))))
    return fail(Code::refused, fmt::format("{} is there already", kPreamble),
                "It is left as it is. Move it away for a new draft");
  const std::string config = engine::config_text(facts);
  const bool is_new = !config.empty() && TRY(write_new(files, project, kConfig, config));
  const auto test = engine::test_command_of(facts);
  if (context.wants_json()) {
    Json written = Json::array({kPreamble});
    if (is_new) written.push_back(kConfig);
    context.print_json({{"written", std::move(written)},
                        {"test", test ? Json(*test) : Json()},
                        {"languages", engine::languages_of(facts)},
                        {"skills", facts.skills}});
    return kExitDone;
  }
  context.print(fmt::format("wrote {}: read it, and replace the sentences in brackets\n", kPreamble));
  if (is_new)
    context.print(fmt::format("wrote {}: checks.test is `{}`\n", kConfig, *test));
  else if (test)
    context.print(fmt::format("left {} as it is\n", kConfig));
  else
    context.print(fmt::format("no test command was found: write `checks: {{ test: … }}` into {}\n", kConfig));
  return kExitDone;
}

}  // namespace

Command init() {
  return {
      .path = "init",
      .topic = "Runs",
      .summary = "Write a first specs/PREAMBLE.md for this project",
      .description =
          "The preamble tells every teammate how this project is laid out, built and tested. What can be seen is "
          "filled "
          "in; what cannot is a sentence in brackets that says what to write. Also .teamster/config.yaml with the test "
          "command, where one was found and there is no such file. Nothing that exists is overwritten: exit code 3.",
      .hub = HubUse::reads,
      .examples = {{"teamster init", "In the directory of the project"},
                   {"teamster init --json | jq -r .test", "Which test command was found?"}},
      .run = run_init,
  };
}

}  // namespace teamster::cli::commands
