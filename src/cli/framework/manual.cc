#include "cli/framework/manual.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/framework/help_text.h"

namespace teamster::cli {
namespace {

// A pipe would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string arguments_table(const Command& command) {
  std::string text = "| argument | meaning |\n|---|---|\n";
  for (const auto& positional : command.positionals) {
    const std::string choices = positional.choices.empty() ? "" : ": " + join(positional.choices, ", ");
    text += fmt::format("| `{}` | {}{} |\n", positional.name, cell(positional.help), cell(choices));
  }
  for (const auto& flag : command.flags)
    if (!flag.hidden) text += fmt::format("| `{}` | {} |\n", flag_form(flag), cell(flag_help(flag)));
  return text + "\n";
}

std::string section(const Command& command) {
  std::string text = fmt::format("### teamster {}\n\n{}.\n\n```\n", command.path, command.summary);
  text += join(usage_parts(command), " ") + "\n```\n\n" + command.description + "\n\n";
  if (!command.positionals.empty() || !command.flags.empty()) text += arguments_table(command);
  text += "```sh\n";
  for (const auto& example : command.examples) text += fmt::format("# {}\n{}\n", example.does, example.line);
  return text + "```\n\n";
}

}  // namespace

std::string markdown_reference(const Registry& registry) {
  std::string text =
      "# Commands\n\n"
      "Made by `teamster help --markdown` from the declarations in `src/cli`; do not edit.\n\n"
      "Flags stand anywhere; `--flag value` and `--flag=value` are the same; `--` ends them; a lone `-` is standard "
      "input. Exit codes: 0 done, 1 failed or nothing there, 2 usage, 3 refused, 4 waiting for a person, 70 a bug. "
      "Errors say what and what to do next on standard error; with `--json` also as "
      "`{\"error\":{\"code\",\"what\",\"next\"}}` on standard output.\n\n"
      "Flags of every command that talks to the hub:\n\n"
      "| flag | meaning |\n|---|---|\n";
  for (const auto& flag : common_flags(HubUse::writes))
    text += fmt::format("| `{}` | {} |\n", flag_form(flag), cell(flag_help(flag)));
  text += "\n";
  for (const auto& topic : registry.topics()) {
    text += fmt::format("## {}\n\n", topic);
    for (const auto& command : registry.commands())
      if (command.topic == topic) text += section(command);
  }
  text.pop_back();
  return text;
}

}  // namespace teamster::cli
