#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/completion_scripts.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_completion(Context& context, const Arguments& arguments) {
  const std::string shell = arguments.value("SHELL");
  const Registry& registry = context.registry();
  context.print(shell == "bash"  ? bash_completion(registry)
                : shell == "zsh" ? zsh_completion(registry)
                                 : fish_completion(registry));
  return 0;
}

}  // namespace

Command completion() {
  return {
      .path = "completion",
      .topic = "Machine",
      .summary = "Print a completion script for a shell",
      .description = "It completes commands, verbs, flags and the values of flags that have a fixed set.",
      .positionals = {{.name = "SHELL", .help = "Which shell", .choices = {"bash", "zsh", "fish"}}},
      .examples = {{"source <(teamster completion bash)", "For this bash; put it into ~/.bashrc to keep it"},
                   {"teamster completion zsh > ~/.zfunc/_teamster", "For zsh, with ~/.zfunc in fpath"},
                   {"teamster completion fish > ~/.config/fish/completions/teamster.fish", "For fish"}},
      .run = run_completion,
  };
}

}  // namespace teamster::cli::commands
