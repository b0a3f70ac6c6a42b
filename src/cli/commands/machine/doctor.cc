#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/record.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/commands/agent/installed_agents.h"
#include "cli/commands/machine/health.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "engine/run_setup.h"
#include "env/files.h"
#include "env/processes.h"
#include "project/workflow_place.h"
#include "project/workflow_settings.h"
#include "skills/catalogue.h"
#include "skills/level_one.h"
#include "skills/places.h"
#include "verify/check_place.h"
#include "version.h"

namespace teamster::cli::commands {
namespace {

// The home and what lies in it.
Result<std::vector<OwnedFile>> owned_files(env::Files& files, const std::string& home) {
  std::vector<OwnedFile> found;
  for (const auto& name : TRY(files.list(home))) {
    const std::string path = home + "/" + name;
    // It may be gone meanwhile.
    if (const auto status = TRY(files.status(path))) found.push_back({path, status->owner_uid});
  }
  return found;
}

// As `run.get` has them, oldest first.
Result<std::vector<hub::GetRun::Answer>> whole_runs(const Context& context) {
  std::vector<hub::GetRun::Answer> runs;
  const engine::RunService service = TRY(runs_of(context));
  for (const auto& row : TRY(service.list(true))) {
    auto whole = context.ask(hub::GetRun{row.run});
    if (!whole && whole.error().code == Code::not_found) continue;  // gone meanwhile
    runs.push_back(TRY(std::move(whole)));
  }
  return runs;
}

std::vector<PinnedWorkflow> pinned_workflows(env::Files& files, const hub::Home& home,
                                             const std::vector<hub::GetRun::Answer>& runs) {
  std::vector<PinnedWorkflow> pinned;
  for (const auto& [run, body] : runs) {
    const auto bundle = engine::load_bundle(files, home, run.run, raw_text_in(body, "digest"));
    pinned.push_back({run.run, run.has_ended(), bundle ? Result<void>() : fail(bundle.error())});
  }
  return pinned;
}

std::vector<std::string> names_below(env::Files& files, const std::string& directory) {
  return files.list(directory).value_or(std::vector<std::string>());
}

// Of those that a host runs now.
std::vector<FailingMember> failing_members(const env::World& world, const hub::Home& home) {
  std::vector<FailingMember> failing;
  for (const auto& team : names_below(world.files, home.path() + "/teams"))
    for (const auto& member : names_below(world.files, home.team_directory(team))) {
      const auto record = agent::Record::load(world.files, home.member_directory(team, member));
      if (record && record->state == "failing" && world.processes.is_alive(record->host))
        failing.push_back({team, member, record->trouble});
    }
  return failing;
}

// As git keeps them: NAME/gitdir says where it is, NAME/locked why it is locked.
std::vector<LockedWorktree> locked_worktrees(const env::World& world, const std::string& repository) {
  constexpr std::size_t kMaxBytes = 4096;
  std::vector<LockedWorktree> locked;
  const std::string place = repository + "/.git/worktrees";
  for (const auto& name : names_below(world.files, place)) {
    const auto reason = world.files.read(place + "/" + name + "/locked", kMaxBytes);
    const auto link = world.files.read(place + "/" + name + "/gitdir", kMaxBytes);
    if (!reason || !link) continue;
    const std::string path(trimmed(*link));
    const std::int64_t pid = pid_in_lock(*reason);
    locked.push_back(
        {path.substr(0, path.rfind('/')), std::string(trimmed(*reason)), pid != 0 && !world.processes.identify(pid)});
  }
  return locked;
}

// Where this is called, as a run there would read them.
FoundSettings found_settings(const Context& context) {
  env::Files& files = context.outside().world().files;
  const auto& variable = context.outside().variable;
  FoundSettings found{engine::read_settings(files, variable, std::filesystem::current_path().string(), {})};
  const auto workflows = WorkflowPlaces(files, variable).all();
  if (!found.settings || !workflows) return found;
  std::set<std::string> known;
  for (const auto& each : *workflows) {
    const auto loaded = load_checked(each);
    known.insert(each.name);
    if (!loaded) continue;
    if (const auto checked = engine::configuration_for(*loaded, *found.settings); !checked)
      found.problems.push_back(checked.error().what);
  }
  for (const auto& [name, setting] : *found.settings) {
    if (!name.starts_with("workflows.")) continue;
    const std::string workflow = name.substr(10, name.find('.', 10) - 10);
    if (known.insert(workflow).second)
      found.problems.push_back(fmt::format("{}: there is no workflow {} here", setting.place, workflow));
  }
  return found;
}

Result<std::vector<ToolServer>> declared_servers(const Context& context) {
  const env::World world = context.outside().world();
  const auto text = world.files.read(TRY(context.directory()) + "/.mcp.json", limits::kMetadataMaxBytes);
  if (!text && text.error().code == Code::not_found) return std::vector<ToolServer>();
  if (!text) return fail(text.error());
  auto servers = TRY(tool_servers_in(*text));
  for (auto& server : servers)
    server.is_there = server.command.empty() || !verify::find_program(world, server.command).empty();
  return servers;
}

SkillHealth examine_skills(const Context& context) {
  SkillHealth health;
  skills::Places places;
  places.project = context.directory().value_or("");
  const skills::Catalogue catalogue(
      skills::make_sources(context.outside().world().files, std::move(places), context.outside().variable));
  health.known = catalogue.skills().size();
  for (const auto& skill : catalogue.skills())
    if (skill.problem_count > 0) health.broken.push_back(skill.head.name);
  for (const auto& broken : catalogue.broken()) health.broken.push_back(printable_line(broken.name));
  health.left_out = skills::level_one(catalogue.skills(), skills::level_one_budget(0)).left_out;
  return health;
}

std::vector<Check> examine(const Context& context, const hub::Home& home, bool deep) {
  // First, because asking the hub makes the home and the cookie where there are none.
  const auto status = context.ask(hub::GetHubStatus{});

  env::Files& files = context.outside().world().files;
  const std::string log = status ? "" : files.read(home.log_file(), 2 * limits::kHubLogMaxBytes).value_or("");
  std::vector<Check> checks{
      check_kernel(files.read("/proc/sys/kernel/osrelease", 4096)),
      check_home(home.path(), files.status(home.path()), ::geteuid()),
      check_owners(home.path(), owned_files(files, home.path()), ::geteuid()),
      check_file_system(home.path(), files.file_system(home.path())),
      check_disk(home.path(), files.free_bytes(home.path())),
      check_cookie(home.cookie_file(), files.status(home.cookie_file())),
      check_hub(status, kVersion, log),
  };
  // Without a hub both would only say the same again.
  if (status) {
    checks.push_back(check_store(context.ask(hub::CheckStore{.rebuild = deep})));
    checks.push_back(check_orphans(context.ask(hub::ListOrphans{})));
    const auto runs = whole_runs(context);
    checks.push_back(check_runs(runs));
    if (runs) checks.push_back(check_pinned(pinned_workflows(files, home, *runs)));
  }
  const env::World world = context.outside().world();
  checks.push_back(check_agents(find_installed(world)));
  checks.push_back(check_members(failing_members(world, home)));
  std::error_code unknown;
  const auto here = std::filesystem::current_path(unknown);
  if (!unknown) checks.push_back(check_worktrees(locked_worktrees(world, here.string())));
  checks.push_back(check_settings(found_settings(context)));
  checks.push_back(check_skills(examine_skills(context)));
  checks.push_back(check_tool_servers(declared_servers(context)));
  return checks;
}

// Below the details of a check there is nothing but more of them.
constexpr std::size_t kDetailColumn = 19;

std::string check_text(const Context& context, const Check& check) {
  const std::string indent(kDetailColumn, ' ');
  const std::string detail = printable_block(check.detail, indent);
  const std::string status = fmt::format("{:<4}", to_string(check.status));
  const std::string text =
      fmt::format("{}  {:<11}  {}", check.status == Check::Status::ok ? status : context.palette().red(status),
                  check.name, detail.substr(std::min(kDetailColumn, detail.size())));
  const std::string next =
      check.next.empty() ? std::string() : fmt::format("{}-> {}\n", indent, printable_line(check.next));
  return fitted(text, context.columns(), kDetailColumn) + fitted(next, context.columns(), 3);
}

Result<int> run_doctor(Context& context, const Arguments& arguments) {
  const hub::Home home = TRY(context.home());
  const auto checks = examine(context, home, arguments.has("deep"));
  if (context.wants_json()) {
    context.print_json(health_document(checks));
  } else {
    for (const auto& check : checks) context.print(check_text(context, check));
    context.print(fmt::format("score {} of 100\n", score(checks)));
  }
  const bool has_failed =
      std::any_of(checks.begin(), checks.end(), [](const Check& check) { return check.status == Check::Status::fail; });
  return has_failed ? kExitNothing : kExitDone;
}

}  // namespace

Command doctor() {
  return {
      .path = "doctor",
      .topic = "Machine",
      .summary = "Check machine, home, store, runs, and what agents are offered",
      .description =
          "Each check says what to do when it is not ok; runs that were interrupted or blocked are named with what to "
          "type. Makes the home when there is none. Exit code 1 when "
          "a check fails; warnings do not count.",
      .hub = HubUse::reads,
      .flags = {{.name = "deep", .help = "Rebuild all tables from the journal and compare"}},
      .examples = {{"teamster doctor", "Is everything in order?"},
                   {"teamster doctor --deep --json | jq .score", "A thorough look, for a script"}},
      .run = run_doctor,
  };
}

}  // namespace teamster::cli::commands
