#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "engine/run_setup.h"
#include "env/files.h"
#include "protocol/client/hub_calls.h"

namespace teamster::cli::commands {
namespace {

using Removed = hub::CollectGarbage::Answer;

void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const auto& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The hub removes a bounded amount per request, so that others are served in between.
Result<Removed> collect(const Context& context, const hub::CollectGarbage& collecting) {
  Removed removed;
  for (int step = 1;; ++step) {
    const std::string part = step == 1 ? "" : fmt::format("step{}", step);
    const Removed answer = TRY(context.ask(collecting, {.step = part}));
    add_new(removed.teams, answer.teams);
    add_new(removed.runs, answer.runs);
    removed.events += answer.events;
    removed.is_done = answer.is_done;
    // A dry run removes nothing, so asking again would get the same answer.
    if (answer.is_done || collecting.dry_run) return removed;
  }
}

std::string removed_text(const Removed& removed) {
  std::vector<std::string> names = removed.teams;
  names.insert(names.end(), removed.runs.begin(), removed.runs.end());
  return fmt::format("{} of {} and {}: {}", counted(removed.events, "event"),
                     counted(static_cast<std::int64_t>(removed.teams.size()), "deleted team"),
                     counted(static_cast<std::int64_t>(removed.runs.size()), "ended run"), joined_names(names));
}

// What was kept with a run goes with it: the workflow it was pinned to, what its members said.
Result<void> remove_directories(const Context& context, const std::vector<std::string>& runs) {
  const hub::Home home = TRY(context.home());
  for (const auto& run : runs) TRY_VOID(context.outside().world().files.remove_tree(engine::run_directory(home, run)));
  return {};
}

Result<int> run_gc(Context& context, const Arguments& arguments) {
  const Removed removed =
      TRY(collect(context, {.older_than = arguments.duration("older-than"), .dry_run = arguments.has("dry-run")}));
  if (!arguments.has("dry-run")) TRY_VOID(remove_directories(context, removed.runs));
  if (context.wants_json())
    context.print_json(
        {{"teams", removed.teams}, {"runs", removed.runs}, {"events", removed.events}, {"done", removed.is_done}});
  else
    context.print(fmt::format("{} {}\n", arguments.has("dry-run") ? "would remove" : "removed", removed_text(removed)));
  return 0;
}

}  // namespace

Command gc() {
  return {
      .path = "gc",
      .topic = "Machine",
      .summary = "Remove what belongs to teams deleted and runs ended long ago",
      .description = "Keeps the home small. Live teams and runs are never touched.",
      .hub = HubUse::writes,
      .flags = {{.name = "older-than",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long ago the team was deleted, or the run ended",
                 .fallback = fmt::format("{}d", limits::kRetention / std::chrono::days(1))},
                {.name = "dry-run", .help = "Only say what would go"}},
      .examples = {{"teamster gc --dry-run", "What would go?"}, {"teamster gc --older-than 7d", "Keep a week"}},
      .run = run_gc,
  };
}

}  // namespace teamster::cli::commands
