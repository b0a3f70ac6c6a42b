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

// On top of the deadline that the members get: the hub answers when that has passed.
constexpr Duration kSlack = std::chrono::seconds(5);

Result<void> check_flags(const Arguments& arguments) {
  if (arguments.has("force") && arguments.has("shutdown"))
    return fail(Code::invalid, "--force and --shutdown exclude each other",
                "--shutdown asks the members first and then forces");
  if (arguments.has("reason") && !arguments.has("shutdown"))
    return fail(Code::invalid, "--reason goes with --shutdown", "It is what the members are told");
  return {};
}

Result<Json> shut_down(const Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"TEAM", "reason"});
  args["deadline_ms"] = to_ms(limits::kShutdownAnswerDeadline);
  return context.write("team.shutdown", std::move(args),
                       {.step = "shutdown", .wait = limits::kShutdownAnswerDeadline + kSlack});
}

// Names that either step ended by force, each once.
Json all_forced(const Json& shutdown, const Json& deleted) {
  Json names = list_in(shutdown, "forced");
  for (const auto& name : list_in(deleted, "forced"))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

void print_result(const Context& context, const Json& result) {
  context.print(fmt::format("team {} deleted\n", text_in(result, "team")));
  if (!list_in(result, "approved").empty())
    context.print(fmt::format("  approved  {}\n", joined_in(result, "approved")));
  for (const auto& rejection : list_in(result, "rejected"))
    context.print(fmt::format("  rejected  {}: {}\n", text_in(rejection, "name"), text_in(rejection, "reason")));
  if (!list_in(result, "forced").empty()) context.print(fmt::format("  forced    {}\n", joined_in(result, "forced")));
}

Result<int> run_team_delete(Context& context, const Arguments& arguments) {
  TRY_VOID(check_flags(arguments));
  const bool asks_first = arguments.has("shutdown");
  Json shutdown = Json::object();
  if (asks_first) shutdown = TRY(shut_down(context, arguments));
  Json args = arguments.fields({"TEAM"});
  if (asks_first || arguments.has("force")) args["force"] = true;
  Json result = TRY(context.write("team.delete", std::move(args), {.step = asks_first ? "delete" : ""}));
  if (asks_first) {
    result["approved"] = list_in(shutdown, "approved");
    result["rejected"] = list_in(shutdown, "rejected");
    result["forced"] = all_forced(shutdown, result);
  }
  if (context.wants_json())
    context.print_json(result);
  else
    print_result(context, result);
  return 0;
}

}  // namespace

Command team_delete() {
  return {
      .path = "team delete",
      .topic = "Teams",
      .summary = "Delete a team",
      .description =
          "A team with live members is refused unless --force ends them, or --shutdown asks each to go, "
          "waits 10 s for their answers and then ends those that stayed. Its journal stays until "
          "`teamster gc`.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEAM", .type = ValueType::team, .help = "The team"}},
      .flags = {{.name = "force", .help = "End live members without asking"},
                {.name = "shutdown", .help = "Ask live members to go, then end those that stay"},
                {.name = "reason", .value = "TEXT", .help = "What the members are told, with --shutdown"}},
      .examples = {{"teamster team delete demo --shutdown --reason \"phase complete\"", "The polite way"},
                   {"teamster team delete demo --force", "At once"}},
      .run = run_team_delete,
  };
}

}  // namespace teamster::cli::commands
