#include "cli/commands/team/left_team_documents.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"

namespace teamster::cli {
namespace {

hub::TaskCounts counts_of(const interop::ClaudeTasks& tasks) {
  hub::TaskCounts counts{};
  counts[static_cast<std::size_t>(TaskStatus::pending)] = tasks.pending;
  counts[static_cast<std::size_t>(TaskStatus::in_progress)] = tasks.in_progress;
  counts[static_cast<std::size_t>(TaskStatus::completed)] = tasks.completed;
  return counts;
}

}  // namespace

Json document_of(const engine::LeftTeam& team) {
  Json document = team.orphan.json();
  if (team.is_of_claude_code) document["of"] = "claude-code";
  return document;
}

Json documents_of(const std::vector<engine::LeftTeam>& teams) {
  Json documents = Json::array();
  for (const auto& team : teams) documents.push_back(document_of(team));
  return documents;
}

Json document_of(const engine::LeftTeam& left, const interop::ClaudeTeam& team) {
  Json document = document_of(left);
  document["orphan"] = team.is_orphan;
  document["places"] = team.places;
  document["members"] = team.members;
  document["tasks"] = {{to_string(TaskStatus::pending), team.tasks.pending},
                       {to_string(TaskStatus::in_progress), team.tasks.in_progress},
                       {to_string(TaskStatus::completed), team.tasks.completed}};
  return document;
}

std::string details_of(const interop::ClaudeTeam& team) {
  return fmt::format("; members {}; tasks {}", joined_names(team.members), task_counts_text(counts_of(team.tasks)));
}

}  // namespace teamster::cli
