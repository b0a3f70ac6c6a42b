#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/framework/replying.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_reject(Context& context, const Arguments& arguments) {
  const engine::RunQuestion gate = TRY(question_for(context, arguments.value("GATE"), true));
  const std::string feedback = TRY(read_body(context, arguments.value("TEXT")));
  if (trimmed(feedback).empty()) return fail(Code::invalid, "the feedback is empty", "Say what should be different");
  return reply(context, arguments, gate, {.approved = false, .feedback = feedback});
}

}  // namespace

Command question_reject() {
  return {
      .path = "reject",
      .topic = "People",
      .summary = "Reject what a run waits for, and say why",
      .description = "Keeps a gate shut. The text goes back to the phase that the workflow names for it.",
      .hub = HubUse::writes,
      .positionals = {{.name = "GATE",
                       .type = ValueType::gate,
                       .help = "Its id in `teamster inbox`, or any part that fits one alone"},
                      {.name = "TEXT", .help = "What should be different; - reads it from standard input"}},
      .flags = reply_flags(),
      .examples = {{"teamster reject plan.1 \"Split it into smaller steps\"", "Back to planning"}},
      .run = run_reject,
  };
}

}  // namespace teamster::cli::commands
