#include "cli/framework/help_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTermColumns = 20;

// A term and its help; a long term gets a line of its own.
std::string entry(const std::string& term, const std::string& help) {
  const std::string indent(kTermColumns + 2, ' ');
  const std::string text = wrapped(help, kColumns, indent);
  if (term.size() + 2 > kTermColumns) return fmt::format("  {}\n{}\n", term, text);
  return fmt::format("  {:<{}}{}\n", term, kTermColumns, text.substr(indent.size()));
}

std::string usage(const Command& command) {
  std::string text = "Usage:";
  std::size_t used = text.size();
  for (const auto& part : usage_parts(command)) {
    const bool fits = used + 1 + part.size() <= kColumns;
    text += fits ? " " : "\n         ";
    used = (fits ? used + 1 : 9) + part.size();
    text += part;
  }
  return text + "\n";
}

std::string positional_help(const Positional& positional) {
  if (positional.choices.empty()) return positional.help;
  return fmt::format("{}: {}", positional.help, join(positional.choices, ", "));
}

}  // namespace

std::string flag_form(const Flag& flag) {
  return flag.is_switch() ? "--" + flag.name : fmt::format("--{} {}", flag.name, flag.value);
}

std::string flag_help(const Flag& flag) {
  std::string text = flag.help;
  if (!flag.choices.empty()) text += fmt::format(": {}", join(flag.choices, ", "));
  if (!flag.fallback.empty()) text += fmt::format(" (default: {})", flag.fallback);
  if (flag.repeatable) text += "; may be given several times";
  return text;
}

std::vector<std::string> usage_parts(const Command& command) {
  std::vector<std::string> parts{"teamster " + command.path};
  for (const auto& positional : command.positionals) {
    const std::string form = positional.name + (positional.repeatable ? "..." : "");
    parts.push_back(positional.required ? form : "[" + form + "]");
  }
  std::vector<std::string> optional;
  for (const auto& flag : all_flags(command)) {
    const std::string dots = flag.repeatable ? "..." : "";
    if (flag.required != Required::no)
      parts.push_back(flag_form(flag) + dots);
    else if (!flag.hidden)
      optional.push_back("[" + flag_form(flag) + "]" + dots);
  }
  parts.insert(parts.end(), optional.begin(), optional.end());
  return parts;
}

std::string help_command(const Command& command) {
  std::string text = fmt::format("teamster {}: {}\n\n{}\n", command.path, command.summary, usage(command));
  text += wrapped(command.description, kColumns, "") + "\n";
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const auto& positional : command.positionals) text += entry(positional.name, positional_help(positional));
  text += "\nFlags:\n";
  for (const auto& flag : all_flags(command))
    if (!flag.hidden) text += entry(flag_form(flag), flag_help(flag));
  text += entry("--help, -h", "Show this");
  text += "\nExamples:\n";
  for (const auto& example : command.examples) text += fmt::format("  # {}\n  {}\n", example.does, example.line);
  return text;
}

std::string help_group(const Registry& registry, std::string_view first_word) {
  std::string text = fmt::format("Usage: teamster {} VERB [ARGUMENTS] [FLAGS]\n\nVerbs:\n", first_word);
  for (const auto& verb : registry.verbs(first_word))
    text += entry(verb, registry.find(fmt::format("{} {}", first_word, verb))->summary);
  return text + fmt::format("\n`teamster {} VERB --help` explains one, with examples.\n", first_word);
}

std::string help_overview(const Registry& registry) {
  std::string text =
      "teamster drives teams of coding agents.\n\n"
      "Usage: teamster COMMAND [ARGUMENTS] [FLAGS]\n";
  for (const auto& topic : registry.topics()) {
    text += fmt::format("\n{}:\n", topic);
    for (const auto& command : registry.commands())
      if (command.topic == topic) text += entry(command.path, command.summary);
  }
  text +=
      "\n`teamster COMMAND --help` explains one, with examples. --json prints one JSON\n"
      "document. --version prints the version. State lies in $TEAMSTER_HOME, else\n"
      "$XDG_STATE_HOME/teamster, else ~/.local/state/teamster.\n\n"
      "Exit codes: 0 done, 1 failed or nothing there, 2 usage, 3 refused,\n"
      "4 waiting for a person, 70 a bug.\n";
  return text;
}

std::string help_for(const Registry& registry, std::string_view path) {
  if (path.empty()) return help_overview(registry);
  const Command* command = registry.find(path);
  return command != nullptr ? help_command(*command) : help_group(registry, path);
}

}  // namespace teamster::cli
