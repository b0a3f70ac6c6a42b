#include "cli/framework/registry.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/help_text.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

class RegistryTest : public testing::Test {
 protected:
  Result<Selection> select(std::vector<std::string> words) const { return registry_.select(words); }
  Registry registry_ = all_commands();
};

TEST_F(RegistryTest, EveryDeclarationIsComplete) {
  std::set<std::string> paths;
  for (const auto& command : registry_.commands()) {
    SCOPED_TRACE(command.path);
    EXPECT_TRUE(paths.insert(command.path).second);
    EXPECT_FALSE(command.topic.empty());
    EXPECT_FALSE(command.summary.empty());
    EXPECT_FALSE(command.summary.ends_with('.'));
    EXPECT_TRUE(command.description.ends_with('.'));
    EXPECT_FALSE(command.examples.empty());
    EXPECT_TRUE(command.run);
    for (const auto& example : command.examples)
      EXPECT_NE(example.line.find("teamster " + command.path), std::string::npos) << example.line;
    for (const auto& flag : all_flags(command)) EXPECT_FALSE(flag.help.empty()) << flag.name;
    for (const auto& positional : command.positionals) EXPECT_FALSE(positional.help.empty()) << positional.name;
  }
}

TEST_F(RegistryTest, ACommandIsNeverTheBeginningOfAnother) {
  for (const auto& word : registry_.first_words())
    EXPECT_NE(registry_.find(word) != nullptr, !registry_.verbs(word).empty()) << word;
}

TEST_F(RegistryTest, SelectsByWords) {
  const auto selection = select({"message", "send", "--to", "lead", "team"});
  ASSERT_TRUE(selection.has_value());
  EXPECT_EQ(selection->path, "message send");
  EXPECT_EQ(selection->rest, (std::vector<std::string>{"--to", "lead", "team"}));
}

TEST_F(RegistryTest, CommonFlagsMayStandBeforeTheCommand) {
  const auto selection = select({"--json", "--token-file", "team", "team", "--key=k", "list"});
  ASSERT_TRUE(selection.has_value());
  EXPECT_EQ(selection->path, "team list");
  EXPECT_EQ(selection->rest, (std::vector<std::string>{"--json", "--token-file", "team", "--key=k"}));
}

TEST_F(RegistryTest, DidYouMean) {
  const auto command = select({"mesage", "send"});
  ASSERT_FALSE(command.has_value());
  EXPECT_EQ(command.error().code, Code::invalid);
  EXPECT_EQ(command.error().what, "there is no command 'mesage'");
  EXPECT_EQ(command.error().next, "Did you mean message? See `teamster --help`");
  const auto verb = select({"team", "craete"});
  ASSERT_FALSE(verb.has_value());
  EXPECT_EQ(verb.error().what, "`teamster team` has no verb 'craete'");
  EXPECT_EQ(verb.error().next, "Did you mean create? See `teamster team --help`");
  EXPECT_EQ(select({"qqqqqq"}).error().next, "See `teamster --help`");
}

// The words of a line's part that begins with `teamster`, as a shell would see them.
std::vector<std::string> shell_words(std::string_view line) {
  line.remove_prefix(line.find("teamster "));
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && (c == '|' || c == '>' || c == ')')) break;
    if (quote == 0 && c == ' ')
      words.emplace_back();
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c == '$' ? '1' : c;  // a variable's value does not matter here
  }
  if (words.back().empty()) words.pop_back();
  words.erase(words.begin());
  return words;
}

TEST_F(RegistryTest, EveryExampleIsAGoodCommandLine) {
  for (const auto& command : registry_.commands()) {
    for (const auto& example : command.examples) {
      SCOPED_TRACE(example.line);
      const auto selection = registry_.select(shell_words(example.line));
      ASSERT_TRUE(selection.has_value());
      EXPECT_EQ(selection->command, &command);
      const auto arguments = Arguments::parse(command, selection->rest, false);
      EXPECT_TRUE(arguments.has_value()) << arguments.error().text();
    }
  }
}

TEST_F(RegistryTest, HelpFitsEightyColumns) {
  const auto check = [](const std::string& text) {
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      // Examples are for copying and stay whole.
      const bool is_example = line.starts_with("  ") && !line.starts_with("      ");
      EXPECT_TRUE(is_example || columns_of(line) <= 80U) << line;
    }
  };
  check(help_overview(registry_));
  for (const auto& word : registry_.first_words()) check(help_for(registry_, word));
  for (const auto& command : registry_.commands()) check(help_command(command));
}

TEST_F(RegistryTest, HelpShowsEverything) {
  const std::string overview = help_overview(registry_);
  for (const auto& command : registry_.commands()) {
    EXPECT_NE(overview.find("  " + command.path + " "), std::string::npos) << command.path;
    const std::string help = help_command(command);
    EXPECT_NE(help.find(command.summary), std::string::npos);
    EXPECT_NE(help.find("Examples:\n"), std::string::npos);
    for (const auto& example : command.examples) EXPECT_NE(help.find(example.line), std::string::npos);
    for (const auto& flag : all_flags(command))
      EXPECT_EQ(help.find(flag_form(flag)) != std::string::npos, !flag.hidden) << flag.name;
  }
}

}  // namespace
}  // namespace teamster::cli
