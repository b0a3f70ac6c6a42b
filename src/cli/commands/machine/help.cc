#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/help_text.h"
#include "cli/framework/manual.h"
#include "cli/framework/registry.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_help(Context& context, const Arguments& arguments) {
  const Registry& registry = context.registry();
  if (arguments.has("markdown")) {
    context.print_as_it_is(markdown_reference(registry));
    return 0;
  }
  const auto words = arguments.values("COMMAND");
  const auto selection = TRY(registry.select(words));
  if (!selection.rest.empty())
    return fail(Code::invalid, "`teamster " + selection.path + "` has no verbs", see_help(selection.path));
  context.print(help_for(registry, selection.path));
  return 0;
}

}  // namespace

Command help() {
  return {
      .path = "help",
      .topic = "Machine",
      .summary = "Explain a command",
      .description = "The same as --help after it.",
      .positionals = {{.name = "COMMAND", .help = "Its words", .required = false, .repeatable = true}},
      .flags = {{.name = "markdown", .help = "Print docs/commands.md", .hidden = true}},
      .examples = {{"teamster help message send", "How do I send a message?"}},
      .run = run_help,
  };
}

}  // namespace teamster::cli::commands
