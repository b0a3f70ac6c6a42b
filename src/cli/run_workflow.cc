#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/driven_run.h"
#include "cli/exit_code.h"
#include "cli/run_detaching.h"
#include "cli/run_preparation.h"
#include "cli/run_taking_up.h"
#include "cli/workflow_place.h"
#include "engine/run_budget.h"
#include "engine/series.h"
#include "env/files.h"

namespace teamster::cli::commands {
namespace {

// --driver claude, or --driver builder=claude.
Result<void> add_drivers(const Arguments& arguments, const workflow::Workflow& workflow, engine::RunSetup& setup) {
  for (const auto& given : arguments.values("driver")) {
    const std::size_t equals = given.find('=');
    const std::string driver = equals == std::string::npos ? given : given.substr(equals + 1);
    TRY_VOID(agent::find_driver(driver));
    if (equals == std::string::npos) {
      setup.driver = driver;
      continue;
    }
    const std::string role = given.substr(0, equals);
    if (workflow.roles.count(role) == 0)
      return fail(Code::invalid, fmt::format("workflow {} has no role {}", workflow.name, role),
                  fmt::format("See them with `teamster workflow show {}`", workflow.name));
    setup.drivers[role] = driver;
  }
  return {};
}

// Answers and faults of a rehearsal.
Result<void> add_rehearsal(Context& context, const Arguments& arguments, DrivenRunOptions& options) {
  for (const auto& text : arguments.values("fault")) options.faults.push_back(TRY(Fault::parse(text)));
  if (!arguments.has("people")) return {};
  const std::string text =
      TRY(context.outside().world().files.read(arguments.value("people"), limits::kMetadataMaxBytes));
  auto answers = parse_json(text);
  if (!answers) return fail(answers.error().within(arguments.value("people")));
  options.people = [answers = *std::move(answers)](const workflow::RunCommand& question) -> std::optional<Json> {
    const auto found = answers.find(question.step);
    if (found == answers.end()) return std::nullopt;
    return *found;
  };
  return {};
}

// A ledger that says that there is nothing to do, in words.
std::optional<Error> nothing_to_do(const PreparedRun& prepared, const std::string& workflow) {
  if (!prepared.ledger || prepared.ledger->status == engine::LedgerStatus::in_progress) return std::nullopt;
  const std::string& path = prepared.ledger->path;
  if (prepared.ledger->status == engine::LedgerStatus::done)
    return Error{Code::refused, fmt::format("{} {} is already complete, says {}", workflow, prepared.key, path),
                 "To do it again remove that directory"};
  return Error{
      Code::failed, fmt::format("{} {} is blocked, says {}", workflow, prepared.key, path),
      fmt::format("See why with `teamster status --all` or in its artifacts; mend it, set \"status\" in that file to "
                  "\"in_progress\" and run this again")};
}

void print_outcome(Context& context, const DrivenRun& run, const std::string& id) {
  if (context.wants_json())
    return context.print_json(
        {{"run", id}, {"status", run.state().status}, {"reason", run.state().reason}, {"report", run.report()}});
  if (!run.report().empty()) context.print("\n" + run.report() + "\n");
}

// What the run is driven with, from the flags; not yet what it is about.
Result<DrivenRunOptions> options_from(Context& context, const Arguments& arguments, const FoundWorkflow& found) {
  DrivenRunOptions options{.home = TRY(context.home()), .pinned = {}, .setup = {}};
  options.pinned.workflow = TRY(load_checked(found));
  options.pinned.bundle = found.bundle;
  const std::string& name = options.pinned.workflow.name;
  options.pinned.run =
      arguments.has("as") ? TRY(RunName::parse(arguments.value("as"))).text() : new_run_id(context, name);
  options.setup.project = std::filesystem::current_path().string();
  options.setup.digest = workflow::digest(found.bundle);
  options.setup.scripts = arguments.value("scripts");
  options.setup.budget = join(arguments.values("budget"), ",");
  options.setup.parent = arguments.value("parent");
  options.is_sub_run = arguments.has("parent");
  options.waits = !arguments.has("no-wait");
  options.people_file = arguments.value("people");
  TRY_VOID(engine::apply_budget(options.setup.budget, options.pinned.workflow.budget));
  TRY_VOID(add_drivers(arguments, options.pinned.workflow, options.setup));
  return options;
}

Result<int> leave_to_background(Context& context, const hub::Home& home, const std::string& run,
                                const std::vector<std::string>& words) {
  const DetachedRun detached = TRY(start_detached(context, home, run, words));
  if (context.wants_json())
    context.print_json(detached.json());
  else
    context.print(detached.text());
  return kExitDone;
}

// A run that was cut short goes on with the context of its members.
Result<int> go_on(Context& context, const Arguments& arguments, const hub::Home& home, const std::string& run) {
  if (!arguments.has("detach"))
    return take_up_run(context, run, {.waits = !arguments.has("no-wait"), .is_sub_run = arguments.has("parent")});
  std::vector<std::string> words = {"resume", run};
  if (arguments.has("no-wait")) words.emplace_back("--no-wait");
  return leave_to_background(context, home, run, words);
}

Result<int> run_one(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                    std::vector<std::string> words) {
  DrivenRunOptions options = TRY(options_from(context, arguments, found));
  const std::string& name = options.pinned.workflow.name;
  const std::string id = options.pinned.run;
  if (arguments.has("arg")) words = TRY(words_of_named(options.pinned.workflow, arguments.values("arg")));
  PreparedRun prepared =
      TRY(prepare_run(context, options.pinned, {options.setup.project, words, arguments.values("set")}));
  if (prepared.key.empty()) prepared.key = key_of_sub_run(options.setup.parent);
  if (const auto interrupted = TRY(find_interrupted(context, name, prepared.key)))
    return go_on(context, arguments, options.home, *interrupted);
  if (const auto since = parse_iso8601(arguments.value("since")))
    if (const auto ended = TRY(find_ended_since(context, name, prepared.key, *since)))
      return print_ended(context, *ended);
  if (const auto nothing = nothing_to_do(prepared, name)) return fail(*nothing);
  TRY_VOID(check_preconditions(context, options.pinned, options.setup.project, prepared));
  if (arguments.has("detach")) {
    std::vector<std::string> again = {"run", "--as=" + id};
    for (auto& word : arguments.words_without("detach")) again.push_back(std::move(word));
    // What it writes is for people.
    const auto end = std::find(again.begin(), again.end(), "--");
    again.erase(std::remove(again.begin(), end, "--json"), end);
    return leave_to_background(context, options.home, id, again);
  }
  TRY_VOID(add_rehearsal(context, arguments, options));
  DrivenRun run(context, std::move(options));
  const int code = TRY(run.start(prepared.key, prepared.started));
  print_outcome(context, run, id);
  return code;
}

// Each item with a team of its own, in the order of their dependencies; the first that does not end well
// ends it.
Result<int> run_all(Context& context, const Arguments& arguments, const FoundWorkflow& found) {
  const workflow::Workflow workflow = TRY(load_checked(found));
  if (!workflow.series)
    return fail(Code::invalid, fmt::format("workflow {} has no series, so --all means nothing", workflow.name),
                "Name what to run");
  const engine::Project project{context.outside().world().files, std::filesystem::current_path().string()};
  const auto items = TRY(engine::series_in_order(project, workflow));
  if (items.empty()) return fail(Code::not_found, fmt::format("there is nothing like {}", workflow.series->items));
  for (const auto& item : items) {
    if (item.status == engine::LedgerStatus::done) {
      if (!context.wants_json()) context.print(fmt::format("{} is done\n", item.path));
      continue;
    }
    const int code = TRY(run_one(context, arguments, found, {item.argument}));
    if (code != kExitDone) return code;
  }
  return kExitDone;
}

Result<int> run(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot start runs", "Run it as the operator, without a token");
  const FoundWorkflow found = TRY(
      WorkflowPlaces(context.outside().world().files, context.outside().variable).find(arguments.value("WORKFLOW")));
  const auto words = arguments.values("ARGUMENT");
  if (!arguments.has("all")) return run_one(context, arguments, found, words);
  if (arguments.has("detach"))
    return fail(Code::invalid, "--all cannot be left to the background: it is one run after the other",
                "Detach each, or use nohup");
  if (!words.empty()) return fail(Code::invalid, "--all takes no arguments of the workflow", "Leave one of them out");
  return run_all(context, arguments, found);
}

}  // namespace

Command run_workflow() {
  return {
      .path = "run",
      .topic = "Runs",
      .summary = "Run a workflow in this project",
      .description =
          "Starts the workflow's team and drives it through its phases. It may be killed at any point: the same "
          "command, "
          "or `teamster resume`, goes on where it was. One run at a time for the same thing. Ctrl-C asks whether to "
          "cancel it or to leave it to the background; twice cancels it.",
      .hub = HubUse::writes,
      .positionals =
          {{.name = "WORKFLOW", .help = "Its name, or a directory"},
           {.name = "ARGUMENT", .help = "As the workflow wants them", .required = false, .repeatable = true}},
      .flags =
          {{.name = "all", .help = "Everything of the workflow's series, in the order of dependencies"},
           {.name = "driver",
            .value = "DRIVER",
            .help = "How agents are run: D for all, ROLE=D for one; see `teamster agent drivers`",
            .repeatable = true},
           {.name = "set",
            .value = "NAME=VALUE",
            .help = "A setting, over the project's configuration",
            .repeatable = true},
           {.name = "budget",
            .value = "AMOUNT",
            .help = "What it may use at most, over the workflow's: 5usd, 100ktokens, 50turns or 2h of work; then "
                    "the owner is asked",
            .repeatable = true},
           {.name = "detach", .help = "Leave it to the background, when it has begun"},
           {.name = "as", .value = "RUN", .help = "The name of the new run", .hidden = true},
           {.name = "arg",
            .value = "NAME=VALUE",
            .help = "An argument of the workflow by its name",
            .repeatable = true,
            .hidden = true},
           {.name = "parent",
            .value = "RUN/STEP.ATTEMPT",
            .help = "Of a sub-run: what started it. Its key, if the workflow has none",
            .hidden = true},
           {.name = "since",
            .value = "TIME",
            .help = "A run of the same that was started since and has ended counts as this one",
            .hidden = true},
           {.name = "scripts",
            .value = "DIRECTORY",
            .type = ValueType::file,
            .help = "Of the script driver: where ROLE.json are"},
           {.name = "people",
            .value = "FILE",
            .type = ValueType::file,
            .help = "Of a rehearsal: what people answer, a JSON object by step"},
           {.name = "fault", .value = "FAULT", .help = "Of a rehearsal: see `teamster rehearse`", .repeatable = true},
           {.name = "no-wait", .help = "Leave with exit code 4 when it waits for a person"}},
      .examples = {{"teamster run implement-spec 08", "specs/08-….md from text to commit"},
                   {"teamster run implement-spec --all --driver claude", "Every spec, each after those it needs"},
                   {"teamster run implement-spec 08 --set checks.test='make test'", "With another test command"},
                   {"teamster run implement-spec 08 --detach --budget 5usd", "In the background, for 5 dollars"}},
      .run = run,
  };
}

}  // namespace teamster::cli::commands
