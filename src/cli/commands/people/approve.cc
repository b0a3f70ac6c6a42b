#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/replying.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_approve(Context& context, const Arguments& arguments) {
  const engine::RunQuestion gate = TRY(question_for(context, arguments.value("GATE"), true));
  return reply(context, arguments, gate,
               {.approved = true, .note = arguments.has("note") ? Json(arguments.value("note")) : Json()});
}

}  // namespace

Command question_approve() {
  std::vector<Flag> flags = {{.name = "note", .value = "TEXT", .help = "Kept with the approval"}};
  for (auto& flag : reply_flags()) flags.push_back(std::move(flag));
  return {
      .path = "approve",
      .topic = "People",
      .summary = "Approve what a run waits for",
      .description = "Opens a gate. Who approved, where and when is in the journal.",
      .hub = HubUse::writes,
      .positionals = {{.name = "GATE",
                       .type = ValueType::gate,
                       .help = "Its id in `teamster inbox`, or any part that fits one alone"}},
      .flags = std::move(flags),
      .examples = {{"teamster approve plan.1", "Go on"},
                   {"teamster approve 1a2b/plan.1 --note \"as discussed\" --as kim", "For kim, with a note"}},
      .run = run_approve,
  };
}

}  // namespace teamster::cli::commands
