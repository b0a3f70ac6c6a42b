#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"

namespace teamster::cli::commands {
namespace {

// The hub removes a bounded amount per request, so that others are served in between.
Result<Json> collect(const Context& context, const Json& args) {
  Json teams = Json::array();
  std::int64_t events = 0;
  for (int step = 1;; ++step) {
    const std::string name = step == 1 ? "" : fmt::format("step{}", step);
    const Json answer = TRY(context.write("gc", args, {.step = name}));
    for (const auto& team : list_in(answer, "teams"))
      if (std::find(teams.begin(), teams.end(), team) == teams.end()) teams.push_back(team);
    events += number_in(answer, "events");
    // A dry run removes nothing, so asking again would get the same answer.
    if (flag_in(answer, "done") || flag_in(args, "dry_run"))
      return Json{{"teams", teams}, {"events", events}, {"done", flag_in(answer, "done")}};
  }
}

Result<int> run(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"dry-run"});
  args["older_than_ms"] = to_ms(arguments.duration("older-than"));
  const Json result = TRY(collect(context, args));
  if (context.wants_json())
    context.print_json(result);
  else
    context.print(fmt::format("{} {} of {}: {}\n", arguments.has("dry-run") ? "would remove" : "removed",
                              counted(number_in(result, "events"), "event"),
                              counted(static_cast<std::int64_t>(list_in(result, "teams").size()), "deleted team"),
                              joined_in(result, "teams")));
  return 0;
}

}  // namespace

Command gc() {
  return {
      .path = "gc",
      .topic = "Machine",
      .summary = "Remove what belongs to teams deleted long ago",
      .description = "Keeps the home small. Live teams are never touched.",
      .hub = HubUse::writes,
      .flags = {{.name = "older-than",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long ago the team was deleted",
                 .fallback = fmt::format("{}d", limits::kRetention / std::chrono::days(1))},
                {.name = "dry-run", .help = "Only say what would go"}},
      .examples = {{"teamster gc --dry-run", "What would go?"}, {"teamster gc --older-than 7d", "Keep a week"}},
      .run = run,
  };
}

}  // namespace teamster::cli::commands
