#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/driver_choice.h"
#include "base/run_name.h"
#include "base/text.h"
#include "cli/commands/run/going_on.h"
#include "cli/framework/arguments.h"
#include "cli/framework/background_run.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/replying.h"
#include "cli/framework/run_at_terminal.h"
#include "cli/framework/runs.h"
#include "cli/framework/work_files.h"
#include "cli/framework/workflow_words.h"
#include "cli/text/answer_fields.h"
#include "engine/run_preparation.h"
#include "engine/series_tasks.h"
#include "env/files.h"
#include "project/series.h"
#include "project/workflow_place.h"
#include "rehearsal/people.h"
#include "workflow/core/stakeholders.h"
#include "workflow/format/entry.h"

namespace teamster::cli::commands {
namespace {

// --driver claude, or --driver builder=claude. What a program gets as arguments may have a '=', too.
Result<void> add_drivers(const Arguments& arguments, const workflow::Workflow& workflow, engine::RunSetup& setup) {
  for (const auto& given : arguments.values("driver")) {
    const std::size_t equals = given.find(':') < given.find('=') ? std::string::npos : given.find('=');
    const std::string driver = equals == std::string::npos ? given : given.substr(equals + 1);
    TRY_VOID(agent::DriverChoice::parse(driver));
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

// How the run is shown; answers and faults of a rehearsal.
Result<RunAtTerminalOptions> terminal_options(Context& context, const Arguments& arguments,
                                              const FoundWorkflow& found) {
  RunAtTerminalOptions options{.waits = !arguments.has("no-wait")};
  for (const auto& text : arguments.values("fault")) {
    options.faults.push_back(TRY(StagedFault::parse(text)));
    TRY_VOID(check_fault(options.faults.back(), {TRY(load_checked(found))}));
  }
  if (arguments.has("people"))
    options.people = TRY(read_people(context.outside().world().files, arguments.value("people")));
  return options;
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
  return workflow::read_stakeholders(file, text, workflow);
}

// What the run is about and how it is driven, from the flags.
Result<engine::RunRequest> request_from(Context& context, const Arguments& arguments, const FoundWorkflow& found,
                                        WorkflowWords words) {
  engine::RunRequest request{.found = found, .words = std::move(words.words), .flags = std::move(words.flags)};
  const workflow::Workflow workflow = TRY(load_checked(found));
  if (arguments.has("as")) request.run = TRY(RunName::parse(arguments.value("as"))).text();
  request.setup.project = std::filesystem::current_path().string();
  request.setup.scripts = arguments.value("scripts");
  request.setup.budget = join(arguments.values("budget"), ",");
  request.setup.settings = arguments.values("set");
  request.setup.auth = arguments.value("auth");
  if (arguments.has("auth-file"))
    request.setup.auth_file = std::filesystem::absolute(arguments.value("auth-file")).string();
  TRY_VOID(add_drivers(arguments, workflow, request.setup));
  request.people = TRY(people_around(context, arguments, workflow));
  if (arguments.has("from-state"))
    TRY_VOID(go_on_from_state(context, arguments.value("from-state"), workflow, request));
  return request;
}

RunEnd end_of(const BackgroundRun& background) { return {kExitDone, background.json(), background.text()}; }

RunEnd end_of_recorded(const std::string& run) {
  return {kExitDone,
          {{"run", run}, {"status", "interrupted"}},
          fmt::format("run {0} has begun; go on with: teamster resume {0}\n", run)};
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
Result<RunEnd> go_on(Context& context, const Arguments& arguments, RunAtTerminal& terminal, const std::string& run) {
  if (!arguments.has("detach")) return terminal.take_up(TRY(runs_of(context)), run);
  std::vector<std::string> words = {"resume", run};
  if (arguments.has("no-wait")) words.emplace_back("--no-wait");
  return end_of(TRY(start_in_background(context, terminal.parts().home, run, words)));
}

// An entry that cancels: the run of the same thing, with its team; then its user says what becomes of the files.
Result<RunEnd> cancel_run(Context& context, const Arguments& arguments, const engine::LiveRunParts& parts,
                          const engine::RunToCancel& ending) {
  constexpr Duration kCancelWait = std::chrono::seconds(60);
  const engine::RunService runs = TRY(runs_of(context));
  std::string status = "nothing";
  if (!ending.run.empty()) status = TRY(runs.cancel(parts, ending.run, user_name(context), kCancelWait));
  if (!ending.run.empty() && !context.wants_json()) context.print(fmt::format("{} is {}\n", ending.run, status));
  if (ending.run.empty() && !context.wants_json()) context.note("no run of it is under way\n");
  const WorkFiles files{std::filesystem::current_path().string(), ending.files};
  Json deleted = Json::array();
  if (status != "ending") deleted = TRY(settle_work_files(context, arguments, runs, files, true));
  return RunEnd{status == "ending" ? kExitNothing : kExitDone,
                {{"run", ending.run.empty() ? Json() : Json(ending.run)}, {"status", status}, {"deleted", deleted}},
                ""};
}

Result<RunEnd> run_one(Context& context, const Arguments& arguments, engine::RunRequest request) {
  RunAtTerminal terminal(context, TRY(context.home()), TRY(terminal_options(context, arguments, request.found)));
  const engine::LiveRunParts& parts = terminal.parts();
  engine::RunPreparation preparation(parts.world, parts.hub, parts.variable);
  auto prepared = TRY(engine::await<engine::PreparedRun>(
      parts.world.loop, [&](const auto& done) { preparation.prepare(std::move(request), done); }));
  if (const auto* under_way = std::get_if<engine::RunToTakeUp>(&prepared))
    return go_on(context, arguments, terminal, under_way->run);
  if (const auto* ending = std::get_if<engine::RunToCancel>(&prepared))
    return cancel_run(context, arguments, parts, *ending);
  auto& fresh = std::get<engine::RunToStart>(prepared);
  for (const auto& warning : fresh.warnings) context.note(warning + "\n");
  if (arguments.has("record")) return end_of_recorded(TRY(TRY(runs_of(context)).record(parts, std::move(fresh))));
  if (!arguments.has("detach")) return terminal.start(std::move(fresh));
  const std::string id = fresh.pinned.run;
  return end_of(
      TRY(start_in_background(context, parts.home, id, words_in_background(arguments, {"run", "--as=" + id}))));
}

Result<int> leave_series_to_background(Context& context, const Arguments& arguments, const std::string& team) {
  const BackgroundRun background =
      TRY(start_series_in_background(context, TRY(context.home()), team, words_in_background(arguments, {"run"})));
  if (context.wants_json())
    context.print_json({{"team", background.run}, {"pid", background.pid}, {"log", background.log}});
  else
    context.print(background.text_of_series());
  return kExitDone;
}

// What `--all` is about.
struct SeriesCall {
  const FoundWorkflow& found;
  workflow::Workflow workflow;
  std::string entry;         // empty: the workflow has none
  engine::TypedFlags flags;  // of each run

  std::string team() const { return engine::SeriesTasks::team_of(workflow.name, entry); }
  WorkflowWords words_for(const engine::SeriesItem& item) const {
    return {entry.empty() ? std::vector{item.argument} : std::vector{entry, item.argument}, flags};
  }
};

// Whether a run of the item was cut short: its ledger may be done before the last of it is.
Result<bool> is_interrupted(Context& context, const engine::RunRequest& request) {
  const std::string key = TRY(engine::key_for(context.outside().world(), context.outside().variable, request));
  for (const auto& row : TRY(TRY(runs_of(context)).list(false)))
    if (row.workflow == request.found.name && row.key == key) return true;
  return false;
}

// One of them, and what becomes of its task.
Result<RunEnd> run_item(Context& context, const Arguments& arguments, engine::RunRequest request,
                        const std::string& item, engine::SeriesTasks& tasks) {
  TRY_VOID(tasks.begin(item));
  auto end = run_one(context, arguments, std::move(request));
  if (!end) {
    TRY_VOID(tasks.fail_with(item, end.error().what));
    return fail(end.error());
  }
  // One that waits for a person goes on when it is run again, and so does one that nobody drives now.
  const bool goes_on = end->code == kExitWaiting || raw_text_in(end->document, "status") == workflow::status::kRunning;
  if (end->code != kExitDone && !goes_on) TRY_VOID(tasks.fail_with(item, raw_text_in(end->document, "reason")));
  return end;
}

// Not when its user has left it to the background in the middle.
Result<bool> is_done(const engine::Project& project, const SeriesCall& series, const std::string& item) {
  return !series.workflow.ledger || TRY(engine::item_status(project, series.workflow, item, {.entry = series.entry})) ==
                                        engine::LedgerStatus::done;
}

// Each item with a team of its own, in the order of their dependencies; the first that does not end well
// ends it.
Result<int> run_items(Context& context, const Arguments& arguments, const SeriesCall& series,
                      const std::vector<engine::SeriesItem>& items) {
  env::Files& files = context.outside().world().files;
  const engine::Project project{files, std::filesystem::current_path().string()};
  const hub::Home home = TRY(context.home());
  const auto call = [&context](hub::Request request) { return context.write(std::move(request)); };
  auto tasks = TRY(engine::SeriesTasks::open({call, files, home}, series.team(), project.directory, items));
  RunEnd all{kExitDone, {{"runs", Json::array()}}, ""};
  for (const auto& item : items) {
    engine::RunRequest request = TRY(request_from(context, arguments, series.found, series.words_for(item)));
    if (item.status == engine::LedgerStatus::done && !TRY(is_interrupted(context, request))) {
      if (!context.wants_json()) context.print(fmt::format("{} is done\n", item.path));
      continue;
    }
    const RunEnd end = TRY(run_item(context, arguments, std::move(request), item.argument, tasks));
    all.code = end.code;
    all.document["runs"].push_back(end.document);
    if (!context.wants_json()) context.print(end.text);
    if (end.code != kExitDone || !TRY(is_done(project, series, item.argument))) return print_end(context, all);
    TRY_VOID(tasks.complete(item.argument));
  }
  TRY_VOID(tasks.close());
  return print_end(context, all);
}

// Of those that are begun now; what was cut short goes on with the agents it had.
Result<void> check_agents_of_items(Context& context, const Arguments& arguments, const SeriesCall& series,
                                   const std::vector<engine::SeriesItem>& items) {
  for (const auto& item : items) {
    if (item.status == engine::LedgerStatus::done) continue;
    const engine::RunRequest request = TRY(request_from(context, arguments, series.found, series.words_for(item)));
    // One that is under way is told when its turn comes.
    const auto interrupted = is_interrupted(context, request);
    if (interrupted && !*interrupted)
      return engine::check_agents(context.outside().world(), context.outside().variable, request);
  }
  return {};
}

// What others only refer to is left out, and that is said.
void tell_references(const Context& context, const std::vector<std::string>& paths, const std::string& heading) {
  for (const auto& path : paths)
    context.note(
        fmt::format("{} is left out: it has no heading {}, so it is a reference\n", path, quoted(heading, 80)));
}

// Of the words only the entry can stand beside --all: the series says the rest.
Result<SeriesCall> series_call(const FoundWorkflow& found, const WorkflowWords& given) {
  const std::vector<std::string>& words = given.words;
  workflow::Workflow loaded = TRY(load_checked(found));
  SeriesCall call{found, std::move(loaded), "", given.flags};
  const workflow::Workflow& workflow = call.workflow;
  if (!workflow.series)
    return fail(Code::invalid, fmt::format("workflow {} has no series, so --all means nothing", workflow.name),
                "Name what to run");
  const std::string usage =
      fmt::format("teamster run {}{} --all", workflow.name, workflow.entries.empty() ? "" : " ENTRY");
  if (words.size() != (workflow.entries.empty() ? 0 : 1))
    return fail(Code::invalid,
                workflow.entries.empty() ? std::string("--all takes no arguments of the workflow")
                                         : fmt::format("--all takes one word, the entry: one of {}",
                                                       join(workflow::entry_names(workflow), ", ")),
                "Usage: " + usage);
  if (!words.empty()) call.entry = words.front();
  if (!words.empty() && workflow::find_entry(workflow, call.entry) == nullptr)
    return fail(Code::invalid, fmt::format("{} is no entry of {}", quoted(call.entry, 80), workflow.name),
                fmt::format("There are {}", join(workflow::entry_names(workflow), ", ")));
  return call;
}

Result<int> run_all(Context& context, const Arguments& arguments, const SeriesCall& call) {
  const workflow::Workflow& workflow = call.workflow;
  const engine::Project project{context.outside().world().files, std::filesystem::current_path().string()};
  const auto series = TRY(engine::series_in_order(project, workflow, {.entry = call.entry}));
  const auto& items = series.items;
  tell_references(context, series.references, workflow.series->required);
  if (items.empty())
    return fail(Code::not_found, fmt::format("there is nothing to run like {}", workflow.series->items));
  TRY_VOID(people_around(context, arguments, workflow));
  TRY_VOID(check_agents_of_items(context, arguments, call, items));
  const bool is_left = std::any_of(items.begin(), items.end(), [](const engine::SeriesItem& item) {
    return item.status != engine::LedgerStatus::done;
  });
  if (arguments.has("detach") && is_left) return leave_series_to_background(context, arguments, call.team());
  return run_items(context, arguments, call, items);
}

Result<int> run_workflow_command(Context& context, const Arguments& arguments) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot start runs", "Run it as the operator, without a token");
  TRY_VOID(check_chat(arguments));
  TRY_VOID(check_spec_flags(arguments));
  TRY_VOID(context.directory());
  const FoundWorkflow found = TRY(
      WorkflowPlaces(context.outside().world().files, context.outside().variable).find(arguments.value("WORKFLOW")));
  const auto words =
      TRY(WorkflowWords::read(TRY(load_checked(found)), arguments.command(), arguments.values("ARGUMENT")));
  if (!arguments.has("all")) {
    auto request = TRY(request_from(context, arguments, found, words));
    return print_end(context, TRY(run_one(context, arguments, std::move(request))));
  }
  return run_all(context, arguments, TRY(series_call(found, words)));
}

std::vector<Flag> flags() {
  return {
      {.name = "all", .help = "Everything of the workflow's series, in the order of dependencies"},
      {.name = "driver",
       .value = "DRIVER",
       .help = "How agents are run: D for all, ROLE=D for one; D is one of `teamster agent drivers`, or "
               "'command:PROGRAM ARGUMENTS' for any program",
       .repeatable = true},
      {.name = "set", .value = "NAME=VALUE", .help = "A setting, over the project's configuration", .repeatable = true},
      {.name = "budget",
       .value = "AMOUNT",
       .help = "What it may use at most, over the workflow's: 5usd, 100ktokens, 50turns or 2h of work; then "
               "the owner is asked",
       .repeatable = true},
      {.name = "auth",
       .value = "HOW",
       .help = "Whose login all agents use, over what their roles say",
       .choices = {"inherit", "env", "file"}},
      {.name = "auth-file", .value = "FILE", .type = ValueType::file, .help = "With `auth: file`: holds the key"},
      {.name = "chat", .value = "WAY", .help = "How people are asked: terminal", .fallback = "terminal"},
      {.name = "stakeholders",
       .value = "FILE",
       .type = ValueType::file,
       .help = "Who owns the run and who knows what, in YAML: whom its questions go to"},
      {.name = "delete-spec", .help = "Of an entry that cancels: the files of what it ends go, too"},
      {.name = "keep-spec", .help = "Of an entry that cancels: they stay, and nobody is asked"},
      {.name = "detach", .help = "Leave it to the background, when it has begun"},
      {.name = "from-state",
       .value = "FILE",
       .type = ValueType::file,
       .help = "Go on where a state file says; see `teamster resume --state`",
       .hidden = true},
      {.name = "as", .value = "RUN", .help = "The name of the new run", .hidden = true},
      {.name = "record", .help = "Begin it and drive it no further", .hidden = true},
      {.name = "scripts",
       .value = "DIRECTORY",
       .type = ValueType::file,
       .help = "Of the script driver: where ROLE.json are"},
      {.name = "people",
       .value = "FILE",
       .type = ValueType::file,
       .help = "Of a rehearsal: what people answer, a JSON object by step"},
      {.name = "fault", .value = "FAULT", .help = "Of a rehearsal: see `teamster rehearse`", .repeatable = true},
      {.name = "no-wait", .help = "Leave with exit code 4 when it waits for a person"}};
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
      .positionals = {{.name = "WORKFLOW", .type = ValueType::workflow, .help = "Its name, or a directory"},
                      {.name = "ARGUMENT",
                       .help = "Words and flags as the workflow wants them: see `teamster workflow show`",
                       .required = false,
                       .repeatable = true}},
      .flags = flags(),
      .passes_flags = true,
      .examples = {{"teamster run implement-spec 08", "specs/08-….md from text to commit"},
                   {"teamster run implement-spec --all --driver claude", "Every spec, each after those it needs"},
                   {"teamster run implement-spec --all --detach", "The same in the background"},
                   {"teamster run implement-spec 08 --set checks.test='make test'", "With another test command"},
                   {"teamster run implement-spec 08 --driver 'reviewer=command:./review.sh --strict'",
                    "One role is played by a program of your own"},
                   {"teamster run implement-spec 08 --detach --budget 5usd", "In the background, for 5 dollars"}},
      .run = run_workflow_command,
  };
}

}  // namespace teamster::cli::commands
