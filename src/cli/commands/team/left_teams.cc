#include "cli/commands/team/left_teams.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"
#include "interop/claude_teams.h"

namespace teamster::cli {
namespace {

hub::TaskCounts counts_of(const interop::ClaudeTasks& tasks) {
  hub::TaskCounts counts{};
  counts[static_cast<std::size_t>(TaskStatus::pending)] = tasks.pending;
  counts[static_cast<std::size_t>(TaskStatus::in_progress)] = tasks.in_progress;
  counts[static_cast<std::size_t>(TaskStatus::completed)] = tasks.completed;
  return counts;
}

LeftTeam left_team(const Context& context, const interop::ClaudeTeam& team) {
  const Duration age = std::chrono::milliseconds(context.now().unix_ms - team.changed.unix_ms);
  LeftTeam left{.orphan = {team.name, team.places.front(), age, team.reason},
                .document = {},
                .is_orphan = team.is_orphan,
                .is_of_claude_code = true};
  left.document = left.orphan.json();
  left.document["of"] = "claude-code";
  left.document["orphan"] = team.is_orphan;
  left.document["places"] = team.places;
  left.document["members"] = team.members;
  left.document["tasks"] = {{to_string(TaskStatus::pending), team.tasks.pending},
                            {to_string(TaskStatus::in_progress), team.tasks.in_progress},
                            {to_string(TaskStatus::completed), team.tasks.completed}};
  left.details =
      fmt::format("; members {}; tasks {}", joined_names(team.members), task_counts_text(counts_of(team.tasks)));
  return left;
}

interop::ClaudeTeams claude_teams(const Context& context) {
  return {context.outside().world(), interop::ClaudeTeams::find_directory(context.outside().variable)};
}

}  // namespace

Result<std::vector<LeftTeam>> find_orphans(const Context& context) {
  const Json answer = TRY(context.ask_for_document(hub::ListOrphans{}));
  std::vector<LeftTeam> teams;
  for (const auto& document : list_in(answer, hub::ListOrphans::kItems)) {
    LeftTeam team{.orphan = {}, .document = document};
    team.orphan = TRY(hub::Orphan::read(document));
    teams.push_back(std::move(team));
  }
  return teams;
}

std::vector<LeftTeam> find_claude_teams(const Context& context) {
  std::vector<LeftTeam> teams;
  if (interop::ClaudeTeams::find_directory(context.outside().variable).empty()) return teams;
  for (const auto& team : claude_teams(context).list()) teams.push_back(left_team(context, team));
  return teams;
}

Result<void> delete_left_team(const Context& context, const LeftTeam& team) {
  const std::string& name = team.orphan.team;
  if (team.is_of_claude_code) return claude_teams(context).remove(name);
  TRY_VOID(context.ask(hub::DeleteTeam{.team = team.orphan.ref, .force = true, .only_orphan = true},
                       {.step = team.orphan.ref}));
  return {};
}

Json documents_of(const std::vector<LeftTeam>& teams) {
  Json documents = Json::array();
  for (const auto& team : teams) documents.push_back(team.document);
  return documents;
}

}  // namespace teamster::cli
