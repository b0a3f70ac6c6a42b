// The command line as declared: documented, exemplified, and the same in docs/commands.md.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/framework/manual.h"
#include "cli/framework/registry.h"
#include "tidy/source_tree.h"

namespace teamster::tidy {
namespace {

TEST(Commands, TheReferenceIsWhatTheProgramPrints) {
  const auto written = lines_of(read_file("docs/commands.md"));
  const auto printed = lines_of(cli::markdown_reference(cli::all_commands()));
  const auto [at, instead] = std::mismatch(written.begin(), written.end(), printed.begin(), printed.end());
  EXPECT_TRUE(at == written.end() && instead == printed.end())
      << "docs/commands.md:" << at - written.begin() + 1
      << " is old; run: build/teamster help --markdown > docs/commands.md";
}

// "teamster WORD WORD" as somebody would type it: in quotes, behind a colon, or on a line of code.
struct Mention {
  std::size_t line = 0;
  std::string first;
  std::string second;  // may be empty, or no part of the command
};

std::vector<Mention> mentions_in(const SourceFile& file) {
  const bool is_prose = file.path.ends_with(".md");
  const std::regex mention(R"re((^\s*(?:\$ )?|[`'"(=] *|[a-z]: |or   )teamster ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?)re");
  std::vector<Mention> found;
  bool is_code = !is_prose;
  std::size_t number = 0;
  for (const auto& line : lines_of(file.text)) {
    ++number;
    if (is_prose && line.starts_with("```")) is_code = !is_code;
    if (line.find("later") != line.npos) continue;
    for (auto it = std::sregex_iterator(line.begin(), line.end(), mention); it != std::sregex_iterator(); ++it) {
      const bool begins_line = (*it)[1].str().find_first_not_of(" $") == std::string::npos;
      if (!begins_line || is_code) found.push_back({number, (*it)[2], (*it)[3]});
    }
  }
  return found;
}

// Whoever is told to run a command can run it. One that is to come is on a line that says "later".
TEST(Commands, EachThatIsMentionedIsThere) {
  const auto registry = cli::all_commands();
  // Programs of our own that nobody is told to run have no place in the registry, and help begins with a sentence.
  std::set<std::string> paths = {"script-agent", "keeper", "complete", "drives"};
  std::set<std::string> topics;  // "team" of "team create"
  for (const auto& command : registry.commands()) {
    paths.insert(command.path);
    if (command.path.find(' ') != std::string::npos) topics.insert(command.path.substr(0, command.path.find(' ')));
  }
  std::size_t count = 0;
  for (const auto& file : all_files()) {
    const bool speaks_to_users = file.path.starts_with("workflows/") || file.path.starts_with("docs/") ||
                                 file.path.starts_with("plugins/") || file.path.starts_with("examples/") ||
                                 file.path.starts_with("src/") || file.path == "README.md";
    if (!speaks_to_users || file.is_test()) continue;
    for (const auto& mention : mentions_in(file)) {
      ++count;
      const bool is_whole = topics.contains(mention.first)
                                ? mention.second.empty() || paths.contains(mention.first + " " + mention.second)
                                : paths.contains(mention.first);
      EXPECT_TRUE(is_whole) << file.path << ":" << mention.line << ": there is no command `teamster " << mention.first
                            << " " << mention.second << "`; mark one that is to come with the word later";
    }
  }
  EXPECT_GT(count, 100U) << "they are not found any more";
}

TEST(Commands, EachIsDocumented) {
  const auto registry = cli::all_commands();
  for (const auto& command : registry.commands()) {
    EXPECT_FALSE(command.summary.empty()) << command.path;
    EXPECT_FALSE(command.summary.ends_with('.')) << command.path << ": a summary is no sentence";
    EXPECT_FALSE(command.description.empty()) << command.path;
    EXPECT_FALSE(command.examples.empty()) << command.path << " has no example";
    for (const auto& flag : cli::all_flags(command))
      EXPECT_TRUE(flag.hidden || !flag.help.empty()) << command.path << ": --" << flag.name << " is not explained";
    for (const auto& positional : command.positionals)
      EXPECT_FALSE(positional.help.empty()) << command.path << ": " << positional.name << " is not explained";
  }
}

TEST(Commands, EachHasAFileOfItsOwn) {
  const auto registry = cli::all_commands();
  for (const auto& command : registry.commands()) {
    std::string file = command.path;
    for (char& c : file) {
      if (c == ' ' || c == '-') c = '_';
    }
    const auto& files = all_files();
    const bool found = std::any_of(files.begin(), files.end(), [&](const auto& source) {
      // `run` is run_workflow.cc and `answer` question_answer.cc: their bare names are files of other rooms.
      const bool is_command = source.path.starts_with("src/cli/commands/") && source.path.ends_with(".cc");
      const std::string name = std::filesystem::path(source.path).stem();
      return is_command && (name == file || name.starts_with(file + "_") || name.ends_with("_" + file));
    });
    EXPECT_TRUE(found) << "no src/cli/commands/…/" << file << ".cc for `teamster " << command.path << "`";
  }
}

}  // namespace
}  // namespace teamster::tidy
