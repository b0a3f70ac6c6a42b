#include "cli/text/team_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/table.h"

namespace teamster::cli {
namespace {

constexpr std::string_view kMemberIndent = "  ";

std::string counts_text(const Json& counts, std::initializer_list<const char*> names) {
  std::vector<std::string> parts;
  for (const std::string name : names) {
    const auto count = number_in(counts, name);
    if (count != 0) parts.push_back(fmt::format("{} {}", count, name == "in_progress" ? "in progress" : name));
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

std::string owner_text(const Json& status) {
  const Json& owner = object_in(status, "owner");
  if (owner.empty()) return "made by hand";
  const char* state = flag_in(owner, "alive") ? "alive" : "gone";
  if (owner.contains("run")) return fmt::format("of run {} ({})", text_in(owner, "run"), state);
  return fmt::format("owner {} ({})", number_in(owner, "pid"), state);
}

std::string member_activity(const Json& member) {
  const std::string claimed = joined_in(member, "claimed", "");
  const std::string state = raw_text_in(member, "state") == "gone" ? "gone"
                            : flag_in(member, "running")           ? "working"
                                                                   : "idle";
  return claimed.empty() ? state : fmt::format("{}, has task {}", state, claimed);
}

}  // namespace

std::string task_counts_text(const Json& tasks) {
  return counts_text(tasks, {"pending", "in_progress", "completed", "failed"});
}

std::string new_members_text(const Json& members) {
  std::string text;
  for (const auto& member : members)
    text += fmt::format("  {} (epoch {})\n    token: {}\n", text_in(member, "name"), number_in(member, "epoch"),
                        text_in(member, "token_file"));
  return text;
}

std::string team_status_text(const Context& context, const Json& status) {
  std::string text = context.palette().bold(text_in(status, "team"));
  text += fmt::format("  {}, created {} ago{}{}\n", owner_text(status), age_in(status, "created", context.now()),
                      flag_in(status, "shutting_down") ? ", shutting down" : "",
                      flag_in(status, "orphan") ? ", " + context.palette().red("orphan") : "");
  text += fmt::format("  tasks     {}\n", task_counts_text(object_in(status, "tasks")));
  text += fmt::format("  messages  {}\n",
                      counts_text(object_in(status, "messages"), {"queued", "delivered", "seen", "acted", "dead"}));
  const Json& members = list_in(status, "members");
  if (members.empty()) return text + "  no members\n";
  Table table({"MEMBER", "EPOCH", "UNREAD", "DOES"});
  for (const auto& member : members)
    table.add({text_in(member, "name"), text_in(member, "epoch"), text_in(member, "unread"), member_activity(member)});
  const std::size_t columns = context.columns() == 0 ? 0 : context.columns() - kMemberIndent.size();
  for (const auto& line : table.lines(columns)) text += fmt::format("{}{}\n", kMemberIndent, line);
  return text;
}

std::string orphan_text(const Json& orphan) {
  const std::string age = describe_duration(std::chrono::milliseconds(number_in(orphan, "age_ms")));
  return fmt::format("{} ({}, age {}): {}", text_in(orphan, "team"), text_in(orphan, "place"), age,
                     text_in(orphan, "reason"));
}

std::string claude_team_text(const Json& team) {
  return fmt::format("{}; members {}; tasks {}", orphan_text(team), joined_in(team, "members"),
                     task_counts_text(object_in(team, "tasks")));
}

}  // namespace teamster::cli
