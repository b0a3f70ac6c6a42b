#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/completion_scripts.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_completion(Context& context, const Arguments& arguments) {
  const std::string shell = arguments.value("SHELL");
  context.print_as_it_is(shell == "bash" ? bash_completion() : shell == "zsh" ? zsh_completion() : fish_completion());
  return 0;
}

}  // namespace

Command completion() {
  return {
      .path = "completion",
      .topic = "Machine",
      .summary = "Print a completion script for a shell",
      .description =
          "It completes commands, verbs and flags, and names of runs, workflows, teams, members and open questions. It "
          "asks "
          "the program each time, which is quick and never starts a hub for it.",
      .positionals = {{.name = "SHELL", .help = "Which shell", .choices = {"bash", "zsh", "fish"}}},
      .examples = {{"source <(teamster completion bash)", "For this bash; put it into ~/.bashrc to keep it"},
                   {"teamster completion zsh > ~/.zfunc/_teamster", "For zsh, with ~/.zfunc in fpath"},
                   {"teamster completion fish > ~/.config/fish/completions/teamster.fish", "For fish"}},
      .run = run_completion,
  };
}

}  // namespace teamster::cli::commands
