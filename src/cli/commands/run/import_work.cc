#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/name.h"
#include "base/text.h"
#include "cli/commands/run/going_on.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/answer_fields.h"
#include "engine/task_import.h"
#include "interop/claude_tasks.h"
#include "project/state_file.h"

namespace teamster::cli::commands {
namespace {

namespace fs = std::filesystem;

// A list of Claude Code's has tasks in files of their own, and no state beside them.
bool is_task_list(env::Files& files, const fs::path& path) {
  const auto names = files.list(path.string());
  if (!names) return false;
  return std::any_of(names->begin(), names->end(), [](const std::string& name) {
    return name.ends_with(".json") && name.find_first_not_of("0123456789") == name.size() - 5;
  });
}

Result<int> import_task_list(Context& context, const Arguments& arguments, const fs::path& path) {
  const std::string list = path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
  const std::string team = arguments.has("team") ? arguments.value("team") : list;
  const auto name = Name::parse("team", team);
  if (!name) return fail(name.error().within("tasks are imported into a team"));
  const auto tasks = TRY(interop::read_claude_tasks(context.outside().world().files, path.string()));
  int step = 0;
  const auto call = [&](hub::Request request) {
    if (request.key == "read") return context.read(std::move(request));
    return context.write(std::move(request), std::to_string(++step));
  };
  const engine::ImportedTasks imported = TRY(engine::import_tasks(call, name->text(), tasks));
  if (context.wants_json()) {
    Json ids = Json::array();
    for (const auto id : imported.tasks) ids.push_back(id.value);
    context.print_json({{"team", imported.team}, {"new_team", imported.is_new_team}, {"tasks", std::move(ids)}});
  } else {
    context.print(fmt::format("{} imported into the list of team {}{}; see teamster task list --team {}\n",
                              counted(static_cast<std::int64_t>(imported.tasks.size()), "task"), imported.team,
                              imported.is_new_team ? ", which is new" : "", imported.team));
  }
  return kExitDone;
}

// What is checked is checked before anything is written: by whoever reads the file, and by `run`.
Result<int> import_state(Context& context, const Arguments& arguments, const std::string& path) {
  if (arguments.has("team"))
    return fail(Code::invalid, "--team is for a task list, and this is the state of a run", "Leave it out");
  env::Files& files = context.outside().world().files;
  const WorkflowPlaces places(files, context.outside().variable);
  const engine::StateOwner owner = TRY(engine::owner_of_state(files, places, path));
  return run_from_state(context, arguments, owner, {"--record"});
}

Result<int> run_import(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot import work", "Run it as the operator, without a token");
  TRY_VOID(context.directory());
  const fs::path path = fs::absolute(arguments.value("FILE")).lexically_normal();
  if (is_task_list(context.outside().world().files, path)) return import_task_list(context, arguments, path);
  return import_state(context, arguments, path.string());
}

}  // namespace

Command import_work() {
  return {
      .path = "import",
      .topic = "Runs",
      .summary = "Take over work that another tool has begun",
      .description =
          "A task list of Claude Code becomes the list of a team: a directory as ~/.claude/tasks/NAME. The state of a "
          "run, as .ralph-state.json, collab-state-ID.json or progress/spec-08/, becomes a run, which `teamster "
          "resume` goes on with: the workflow that keeps its state in such a file says what it means. Keys that nobody "
          "knows are kept. What cannot be understood is an error that names it, and nothing is changed. The files "
          "themselves are only read.",
      .hub = HubUse::writes,
      .positionals = {{.name = "FILE", .type = ValueType::file, .help = "The file, or a directory of them"}},
      .flags = {{.name = "team",
                 .value = "TEAM",
                 .help = "Of a task list: the team it goes to; named as the list without it"},
                {.name = "driver",
                 .value = "DRIVER",
                 .help = "Of a run: how agents are run, as of `teamster run`",
                 .repeatable = true},
                {.name = "scripts",
                 .value = "DIRECTORY",
                 .type = ValueType::file,
                 .help = "Of a run, of the script driver: where ROLE.json are"},
                {.name = "set", .value = "NAME=VALUE", .help = "Of a run: a setting", .repeatable = true},
                {.name = "budget", .value = "AMOUNT", .help = "Of a run: what it may use at most", .repeatable = true}},
      .examples = {{"teamster import ~/.claude/tasks/my-list --team demo", "Claude Code's tasks into a team's list"},
                   {"teamster import specs/auth/.ralph-state.json", "A spec that another tool has begun"},
                   {"teamster import progress/spec-08", "The same of implement-spec's files"}},
      .run = run_import,
  };
}

}  // namespace teamster::cli::commands
