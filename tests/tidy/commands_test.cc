// The command line as declared: documented, exemplified, and the same in docs/commands.md.
#include <algorithm>
#include <filesystem>
#include <string>

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
