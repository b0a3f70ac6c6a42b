#include "cli/framework/left_teams.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "cli/text/printable.h"

namespace teamster::cli {

Result<engine::LeftTeams> left_teams_of(const Context& context) {
  // Each team that is deleted is a write of its own, made from the user's key.
  const auto call = [&context](hub::Request request) {
    if (request.op != hub::DeleteTeam::kOperation) return context.read(std::move(request));
    const std::string team = raw_text_in(request.args, "team");
    return context.write(std::move(request), team);
  };
  const hub::Home home = TRY(context.home());
  return engine::LeftTeams(call, context.outside().world(), home,
                           interop::ClaudeTeams::find_directory(context.outside().variable));
}

void warn_of_left_teams(const Context& context, std::set<std::string>& told) {
  const auto left = left_teams_of(context);
  if (!left) return;
  const auto warn = [&](const std::vector<engine::LeftTeam>& teams) {
    for (const auto& team : teams)
      if (told.insert(team.orphan.place).second) context.note(printable_block(engine::warning_about(team) + "\n", ""));
  };
  if (const auto ours = left->ours(limits::kOrphanWarnAge)) warn(*ours);
  warn(left->of_claude_code(limits::kOrphanWarnAge));
}

}  // namespace teamster::cli
