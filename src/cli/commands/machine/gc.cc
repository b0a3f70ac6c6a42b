#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {
namespace {

// The hub removes a bounded amount per request, so that others are served in between.
Result<Json> collect(const Context& context, const Json& args) {
  Json removed = {{"teams", Json::array()}, {"runs", Json::array()}};
  std::int64_t events = 0;
  for (int step = 1;; ++step) {
    const std::string part = step == 1 ? "" : fmt::format("step{}", step);
    const Json answer = TRY(context.write("gc", args, {.step = part}));
    for (auto& [list, names] : removed.items())
      for (const auto& name : list_in(answer, list))
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    events += number_in(answer, "events");
    // A dry run removes nothing, so asking again would get the same answer.
    if (flag_in(answer, "done") || flag_in(args, "dry_run")) {
      removed["events"] = events;
      removed["done"] = flag_in(answer, "done");
      return removed;
    }
  }
}

std::string removed_text(const Json& result) {
  Json names = list_in(result, "teams");
  for (const auto& run : list_in(result, "runs")) names.push_back(run);
  const auto count = [&](const char* list) { return static_cast<std::int64_t>(list_in(result, list).size()); };
  return fmt::format("{} of {} and {}: {}", counted(number_in(result, "events"), "event"),
                     counted(count("teams"), "deleted team"), counted(count("runs"), "ended run"),
                     joined_in({{"names", names}}, "names"));
}

Result<int> run_gc(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"dry-run"});
  args["older_than_ms"] = to_ms(arguments.duration("older-than"));
  const Json result = TRY(collect(context, args));
  if (context.wants_json())
    context.print_json(result);
  else
    context.print(fmt::format("{} {}\n", arguments.has("dry-run") ? "would remove" : "removed", removed_text(result)));
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
