#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/commands/run/driven_run.h"
#include "cli/framework/exit_code.h"
#include "cli/commands/run/run_detaching.h"
#include "cli/commands/run/run_preparation.h"
#include "cli/commands/run/run_taking_up.h"
#include "cli/commands/run/series_tasks.h"
#include "people/stakeholders.h"
#include "project/workflow_place.h"
#include "engine/run_budget.h"
#include "project/series.h"
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

// Questions are shown and answered on the terminal; more ways are to come.
Result<void> check_chat(const Arguments& arguments) {
  const std::string chat = arguments.value("chat");
  if (chat.empty() || chat == "terminal") return {};
  if (chat == "web" || chat == "slack")
    return fail(Code::invalid, fmt::format("--chat {} comes with a later version", chat),
                "Use --chat terminal: questions wait in `teamster inbox`");
  return fail(Code::invalid, fmt::format("{} is no way to talk to people", quoted(chat, 80)), "Use --chat terminal");
}

// Null: nobody was named.
Result<Json> people_around(Context& context, const Arguments& arguments, const workflow::Workflow& workflow) {
  if (!arguments.has("stakeholders")) return Json();
  const std::string file = arguments.value("stakeholders");
  const std::string text = TRY(context.outside().world().files.read(file, limits::kYamlMaxBytes));
  return read_stakeholders(file, text, workflow);
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
  if (arguments.has("stakeholders"))
    options.setup.stakeholders = std::filesystem::absolute(arguments.value("stakeholders")).string();
  TRY_VOID(engine::apply_budget(options.setup.budget, options.pinned.workflow.budget));
  TRY_VOID(add_drivers(arguments, options.pinned.workflow, options.setup));
  return options;
}

Result<RunEnd> leave_to_background(Context& context, const hub::Home& home, const std::string& run,
                                   const std::vector<std::string>& words) {
  const DetachedRun detached = TRY(start_detached(context, home, run, words));
  return RunEnd{kExitDone, detached.json(), detached.text()};
}

// The same command without --detach.
std::vector<std::string> words_in_background(const Arguments& arguments, std::vector<std::string> words) {
  for (auto& word : arguments.words_without("detach")) words.push_back(std::move(word));
  // What it writes is for people.
  const auto end = std::find(words.begin(), words.end(), "--");
  words.erase(std::remove(words.begin(), end, "--json"), end);
  return words;
}

// A run that was cut short goes on with the context of its members.
Result<RunEnd> go_on(Context& context, const Arguments& arguments, const hub::Home& home, const std::string& run) {
  if (!arguments.has("detach"))
    return take_up_run(context, run, {.waits = !arguments.has("no-wait"), .is_sub_run = arguments.has("parent")});
  std::vector<std::string> words = {"resume", run};
  if (arguments.has("no-wait")) words.emplace_back("--no-wait");
  return leave_to_background(context, home, run, words);
}

Result<RunEnd> run_one(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                       std::vector<std::string> words) {
  DrivenRunOptions options = TRY(options_from(context, arguments, found));
  const std::string& name = options.pinned.workflow.name;
  const std::string id = options.pinned.run;
  if (arguments.has("arg")) words = TRY(words_of_named(options.pinned.workflow, arguments.values("arg")));
  const Json people = TRY(people_around(context, arguments, options.pinned.workflow));
  PreparedRun prepared =
      TRY(prepare_run(context, options.pinned, {options.setup.project, words, arguments.values("set")}));
  const std::string key =
      prepared.key.empty() ? key_of_sub_run(options.setup.parent) : key_in_project(prepared.key, options.setup.project);
  if (const auto interrupted = TRY(find_interrupted(context, name, key)))
    return go_on(context, arguments, options.home, *interrupted);
  if (const auto since = parse_iso8601(arguments.value("since")))
    if (const auto ended = TRY(find_ended_since(context, name, key, *since))) return read_end(context, *ended);
  if (const auto nothing = nothing_to_do(prepared, name)) return fail(*nothing);
  TRY_VOID(check_preconditions(context, options.pinned, options.setup.project, prepared));
  if (arguments.has("detach"))
    return leave_to_background(context, options.home, id, words_in_background(arguments, {"run", "--as=" + id}));
  prepared.started.people = people;
  TRY_VOID(add_rehearsal(context, arguments, options));
  DrivenRun run(context, std::move(options));
  const int code = TRY(run.start(key, workflow::event_of(prepared.started)));
  return end_of(run, id, code);
}

Result<int> leave_series_to_background(Context& context, const Arguments& arguments, const std::string& workflow) {
  const DetachedRun detached = TRY(start_detached_series(context, TRY(context.home()), SeriesTasks::team_of(workflow),
                                                         words_in_background(arguments, {"run"})));
  if (context.wants_json())
    context.print_json({{"team", detached.run}, {"pid", detached.pid}, {"log", detached.log}});
  else
    context.print(detached.text_of_series());
  return kExitDone;
}

// Whether a run of the item was cut short: its ledger may be done before the last of it is.
Result<bool> is_interrupted(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                            const std::string& item) {
  const DrivenRunOptions options = TRY(options_from(context, arguments, found));
  const PreparedRun prepared =
      TRY(prepare_run(context, options.pinned, {options.setup.project, {item}, arguments.values("set")}));
  const std::string key = key_in_project(prepared.key, options.setup.project);
  return TRY(find_interrupted(context, options.pinned.workflow.name, key)).has_value();
}

// One of them, and what becomes of its task.
Result<RunEnd> run_item(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                        const std::string& item, SeriesTasks& tasks) {
  TRY_VOID(tasks.begin(item));
  auto end = run_one(context, arguments, found, {item});
  if (!end) {
    TRY_VOID(tasks.fail_with(item, end.error().what));
    return fail(end.error());
  }
  // One that waits for a person goes on when it is run again.
  if (end->code != kExitDone && end->code != kExitWaiting)
    TRY_VOID(tasks.fail_with(item, raw_text_in(end->document, "reason")));
  return end;
}

// Not when its user has left it to the background in the middle.
Result<bool> is_done(const engine::Project& project, const workflow::Workflow& workflow, const std::string& item) {
  return !workflow.ledger || TRY(engine::item_status(project, workflow, item, {})) == engine::LedgerStatus::done;
}

// Each item with a team of its own, in the order of their dependencies; the first that does not end well
// ends it.
Result<int> run_items(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                      const workflow::Workflow& workflow, const std::vector<engine::SeriesItem>& items) {
  const engine::Project project{context.outside().world().files, std::filesystem::current_path().string()};
  SeriesTasks tasks = TRY(SeriesTasks::open(context, workflow.name, project.directory, items));
  RunEnd all{kExitDone, {{"runs", Json::array()}}, ""};
  for (const auto& item : items) {
    if (item.status == engine::LedgerStatus::done && !TRY(is_interrupted(context, arguments, found, item.argument))) {
      if (!context.wants_json()) context.print(fmt::format("{} is done\n", item.path));
      continue;
    }
    const RunEnd end = TRY(run_item(context, arguments, found, item.argument, tasks));
    all.code = end.code;
    all.document["runs"].push_back(end.document);
    if (!context.wants_json()) context.print(end.text);
    if (end.code != kExitDone || !TRY(is_done(project, workflow, item.argument))) return print_end(context, all);
    TRY_VOID(tasks.complete(item.argument));
  }
  TRY_VOID(tasks.close());
  return print_end(context, all);
}

Result<int> run_all(Context& context, const Arguments& arguments, const FoundWorkflow& found) {
  const workflow::Workflow workflow = TRY(load_checked(found));
  if (!workflow.series)
    return fail(Code::invalid, fmt::format("workflow {} has no series, so --all means nothing", workflow.name),
                "Name what to run");
  const engine::Project project{context.outside().world().files, std::filesystem::current_path().string()};
  const auto items = TRY(engine::series_in_order(project, workflow));
  if (items.empty()) return fail(Code::not_found, fmt::format("there is nothing like {}", workflow.series->items));
  TRY_VOID(people_around(context, arguments, workflow));
  const bool is_left = std::any_of(items.begin(), items.end(), [](const engine::SeriesItem& item) {
    return item.status != engine::LedgerStatus::done;
  });
  if (arguments.has("detach") && is_left) return leave_series_to_background(context, arguments, workflow.name);
  return run_items(context, arguments, found, workflow, items);
}

Result<int> run_workflow_command(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot start runs", "Run it as the operator, without a token");
  TRY_VOID(check_chat(arguments));
  const FoundWorkflow found = TRY(
      WorkflowPlaces(context.outside().world().files, context.outside().variable).find(arguments.value("WORKFLOW")));
  const auto words = arguments.values("ARGUMENT");
  if (!arguments.has("all")) return print_end(context, TRY(run_one(context, arguments, found, words)));
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
           {.name = "chat", .value = "WAY", .help = "How people are asked: terminal", .fallback = "terminal"},
           {.name = "stakeholders",
            .value = "FILE",
            .type = ValueType::file,
            .help = "Who owns the run and who knows what, in YAML: whom its questions go to"},
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
                   {"teamster run implement-spec --all --detach", "The same in the background"},
                   {"teamster run implement-spec 08 --set checks.test='make test'", "With another test command"},
                   {"teamster run implement-spec 08 --detach --budget 5usd", "In the background, for 5 dollars"}},
      .run = run_workflow_command,
  };
}

}  // namespace teamster::cli::commands
