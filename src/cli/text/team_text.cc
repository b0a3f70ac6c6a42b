#include "cli/text/team_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"

namespace teamster::cli {
namespace {

constexpr std::string_view kMemberIndent = "  ";

// "2 pending, 1 in progress": those that are not 0.
template <class Words, class Counts>
std::string counts_text(const Words& words, const Counts& counts) {
  std::vector<std::string> parts;
  for (const auto word : words) {
    const auto count = hub::count_of(counts, word);
    std::string name(to_string(word));
    std::replace(name.begin(), name.end(), '_', ' ');
    if (count != 0) parts.push_back(fmt::format("{} {}", count, name));
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string owner_text(const hub::TeamStatus& status) {
  if (!status.owner) return "made by hand";
  const char* state = status.owner->is_alive ? "alive" : "gone";
  if (!status.owner->run.empty()) return fmt::format("of run {} ({})", printable_line(status.owner->run), state);
  return fmt::format("owner {} ({})", status.owner->pid, state);
}

std::string member_activity(const hub::TeamMember& member) {
  const std::string claimed = joined_ids(member.claimed, "");
  const std::string state = !member.is_live ? "gone" : member.is_running ? "working" : "idle";
  return claimed.empty() ? state : fmt::format("{}, has task {}", state, claimed);
}

}  // namespace

std::string task_counts_text(const hub::TaskCounts& counts) { return counts_text(kCountedTaskStatuses, counts); }

std::string new_members_text(const std::vector<hub::NewMember>& members) {
  std::string text;
  for (const auto& member : members)
    text += fmt::format("  {} (epoch {})\n    token: {}\n", printable_line(member.name), member.epoch.value,
                        printable_line(member.token_file));
  return text;
}

std::string team_status_text(const Context& context, const hub::TeamStatus& status) {
  std::string text = context.palette().bold(printable_line(status.team));
  text += fmt::format("  {}, created {} ago{}{}\n", owner_text(status), age_text(status.created, context.now()),
                      status.is_shutting_down ? ", shutting down" : "",
                      status.is_orphan ? ", " + context.palette().red("orphan") : "");
  if (!status.project.empty()) text += fmt::format("  project   {}\n", printable_line(status.project));
  text += fmt::format("  tasks     {}\n", task_counts_text(status.tasks));
  text += fmt::format("  messages  {}\n", counts_text(kReceipts, status.messages));
  if (status.members.empty()) return text + "  no members\n";
  Table table({"MEMBER", "EPOCH", "UNREAD", "DOES"});
  for (const auto& member : status.members)
    table.add({printable_line(member.name), std::to_string(member.epoch.value), std::to_string(member.unread),
               member_activity(member)});
  const std::size_t columns = context.columns() == 0 ? 0 : context.columns() - kMemberIndent.size();
  for (const auto& line : table.lines(columns)) text += fmt::format("{}{}\n", kMemberIndent, line);
  return text;
}

std::string orphan_text(const hub::Orphan& orphan) {
  return fmt::format("{} ({}, age {}): {}", printable_line(orphan.team), printable_line(orphan.place),
                     describe_duration(orphan.age), printable_line(orphan.reason));
}

}  // namespace teamster::cli
