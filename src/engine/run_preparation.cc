#include "engine/run_preparation.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "base/text.h"
#include "engine/run_budget.h"
#include "engine/run_drivers.h"
#include "engine/state_following.h"
#include "env/clock.h"
#include "project/project_values.h"
#include "project/workflow_settings.h"
#include "workflow/format/configuration.h"
#include "workflow/format/entry.h"
#include "workflow/format/usage.h"

namespace teamster::engine {
namespace {

// A ledger that says that there is nothing to do, in words.
std::optional<Error> nothing_to_do(const LedgerFound& ledger, const std::string& workflow, const std::string& key) {
  if (ledger.status == LedgerStatus::in_progress) return std::nullopt;
  if (ledger.status == LedgerStatus::done)
    return Error{Code::refused, fmt::format("{} {} is already complete, says {}", workflow, key, ledger.path),
                 "To do it again remove that directory"};
  return Error{
      Code::failed, fmt::format("{} {} is blocked, says {}", workflow, key, ledger.path),
      fmt::format("See why with `teamster status --all` or in its artifacts; mend it, set \"status\" in that file to "
                  "\"in_progress\" and run this again")};
}

std::string text_of_argument(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

Result<Given> given_in(const workflow::Workflow& workflow, const RunRequest& request) {
  if (!request.named) return resolve_words(workflow, request.words, request.flags);
  const TypedWords typed = TRY(words_of_named(workflow, *request.named));
  return resolve_words(workflow, typed.words, typed.flags);
}

// A switch is among what was typed when it is on.
void add_flag(const workflow::Flag& flag, const Json& value, TypedFlags& typed) {
  const std::string text = text_of_argument(value);
  if (!flag.is_switch())
    typed[flag.name()] = text;
  else if (text == "true")
    typed[flag.name()] = "";
}

Given given_by(const workflow::event::Started& started) {
  Given given{started.entry, started.args.get<Arguments>()};
  if (started.flags.is_object()) given.flags = started.flags.get<std::map<std::string, Json>>();
  return given;
}

// As far as texts of the workflow need one before the run is there.
workflow::RunState state_of_start(const workflow::event::Started& started) {
  workflow::RunState state;
  state.entry = started.entry;
  state.args = started.args;
  if (started.flags.is_object()) state.flags = started.flags;
  state.values = started.values;
  state.temporary = started.temporary;
  return state;
}

struct ProjectRead {
  workflow::Pinned pinned;
  std::string key;  // as the workflow says it, not yet of the project
  workflow::RunState state;
};

Result<ProjectRead> read_project_of(const env::World& world, const Variable& variable, const RunRequest& request) {
  ProjectRead read;
  read.pinned.workflow = TRY(cli::load_checked(request.found));
  read.pinned.bundle = request.found.bundle;
  read.pinned.run = request.run;
  const workflow::Workflow& workflow = read.pinned.workflow;
  TRY_VOID(apply_budget(request.setup.budget, read.pinned.workflow.budget));
  TRY_VOID(limit_budget(request.setup.at_most, read.pinned.workflow.budget));
  const auto settings = TRY(read_settings(world.files, variable, request.setup.project, request.setup.settings));
  read.state.configuration = TRY(configuration_for(workflow, settings));
  const Given given = TRY(given_in(workflow, request));
  const auto values = TRY(resolve_values({world.files, request.setup.project}, workflow, given,
                                         {[&](const std::string& name) -> std::optional<std::string> {
                                            const auto found = settings.find(name);
                                            if (found == settings.end()) return std::nullopt;
                                            return found->second.value;
                                          },
                                          variable}));
  read.state.entry = given.entry;
  read.state.args = given.arguments;
  read.state.flags = given.flags;
  read.state.values = values;
  read.key = TRY(workflow::short_text(read.pinned, {read.state}, workflow.key));
  return read;
}

}  // namespace

RunPreparation::RunPreparation(const env::World& world, hub::Client& hub, Variable variable, OpenGit open_git)
    : world_(world),
      variable_(std::move(variable)),
      open_git_(std::move(open_git)),
      finding_(hub),
      active_teams_(world, hub, variable_),
      later_(world.loop) {}

void RunPreparation::prepare(RunRequest request, Done done) {
  request_ = std::move(request);
  done_ = std::move(done);
  if (auto read = read_project(); !read) return later_.call([this, error = read.error()] { finish(fail(error)); });
  finding_.rows(request_.since.has_value(), [this](const Result<std::vector<ListedRun>>& rows) {
    if (!rows) return finish(fail(rows.error()));
    choose(*rows);
  });
}

Result<void> RunPreparation::read_project() {
  ProjectRead read = TRY(read_project_of(world_, variable_, request_));
  prepared_.pinned = std::move(read.pinned);
  prepared_.setup = request_.setup;
  prepared_.setup.digest = workflow::digest(request_.found.bundle);
  prepared_.key = std::move(read.key);
  prepared_.started.entry = read.state.entry;
  prepared_.started.args = read.state.args;
  if (!read.state.flags.empty()) prepared_.started.flags = read.state.flags;
  prepared_.started.values = read.state.values;
  prepared_.started.configuration = read.state.configuration;
  prepared_.started.people = request_.people;
  prepared_.started.at_s = world_.clock.wall_now().unix_ms / 1000;
  prepared_.started.temporary = variable_("TMPDIR").value_or("/tmp");
  ledger_ = TRY(find_ledger(world_.files, prepared_.pinned, request_.setup.project, read.state));
  if (ledger_) prepared_.started.resume = ledger_->resume;
  if (request_.resume) prepared_.started.resume = request_.resume;
  return {};
}

// The same thing may be under way, or have ended while nobody looked.
void RunPreparation::choose(const std::vector<ListedRun>& rows) {
  const std::string& workflow = prepared_.pinned.workflow.name;
  const std::string key = key_of_run(prepared_.key, prepared_.setup.project, prepared_.setup.parent);
  const ListedRun* live = live_run_of(rows, workflow, key);
  const workflow::Entry* entry = workflow::find_entry(prepared_.pinned.workflow, prepared_.started.entry);
  if (entry != nullptr && entry->cancels) return cancel(live);
  if (live != nullptr) return find_active([this, row = *live] { take_up(row); });
  if (request_.since)
    if (const ListedRun* ended = ended_run_of(rows, workflow, key, *request_.since))
      return finish(RunThatEnded{ended->run});
  if (ledger_)
    if (const auto nothing = nothing_to_do(*ledger_, workflow, prepared_.key)) return finish(fail(*nothing));
  if (auto checked = check_agents(world_, variable_, request_); !checked) return finish(fail(checked.error()));
  prepared_.key = key;
  find_active([this] { check_preconditions(); });
}

void RunPreparation::cancel(const ListedRun* live) {
  RunToCancel ending{live == nullptr ? std::string() : live->run, {}};
  auto files = files_of_work(prepared_.pinned, state_of_start(prepared_.started));
  if (!files) return finish(fail(files.error()));
  ending.files = *std::move(files);
  finish(std::move(ending));
}

void RunPreparation::find_active(const std::function<void()>& then) {
  const workflow::Workflow& workflow = prepared_.pinned.workflow;
  const auto& conditions = workflow.preconditions;
  const bool is_asked = std::any_of(conditions.begin(), conditions.end(), [](const workflow::Precondition& condition) {
    return condition.kind == workflow::Precondition::Kind::idle;
  });
  if (!is_asked) return then();
  const std::string named =
      team_in_state_file(world_.files, prepared_.pinned, prepared_.setup.project, state_of_start(prepared_.started));
  active_teams_.find_or_named(
      {.workflow = workflow.name, .project = prepared_.setup.project}, named,
      [=, this](const Result<std::optional<ActiveTeam>>& found) {
        if (!found) return finish(fail(found.error()));
        active_ = *found;
        if (!active_ && !named.empty())
          prepared_.warnings.push_back(
              fmt::format("WARNING: The team {} that the state names is gone. The name is cleared.", named));
        then();
      });
}

// What was asked for is another thing when its arguments are others, although it has the same key.
void RunPreparation::take_up(const ListedRun& live) {
  finding_.start_of(live.run, [this, live](const Result<NamedWords>& begun) {
    if (!begun) return finish(fail(begun.error()));
    const workflow::Workflow& workflow = prepared_.pinned.workflow;
    NamedWords wanted{prepared_.started.entry, prepared_.started.args};
    if (!prepared_.started.flags.is_null()) wanted.flags = prepared_.started.flags;
    if (*begun != wanted || live.is_driven())
      if (auto idle = Preconditions(world_, preconditions()).check_idle(); !idle) return finish(fail(idle.error()));
    if (*begun != wanted)
      return finish(fail(
          Code::refused,
          fmt::format("run {} of {} is under way with {}, so it cannot begin with {}", live.run, workflow.name,
                      workflow::start_text(workflow, *begun), workflow::start_text(workflow, wanted)),
          fmt::format("Go on with that one by `teamster resume {0}`, or end it with `teamster cancel {0}`", live.run)));
    if (!live.is_driven()) return finish(RunToTakeUp{live.run});
    finish(fail(Code::refused,
                fmt::format("run {} of {} {} is under way in process {}", live.run, workflow.name,
                            live.key.value_or(""), live.holder->pid),
                fmt::format("Watch it with `teamster watch {0}`, or end it with `teamster cancel {0}`", live.run)));
  });
}

// Only of a run that is new: what has a ledger or a state was begun before.
PreconditionOptions RunPreparation::preconditions() const {
  const workflow::event::Started& started = prepared_.started;
  return {prepared_.setup.project,
          prepared_.pinned.workflow,
          given_by(started),
          started.values.get<Values>(),
          active_ ? active_->run : std::string(),
          active_ ? active_->team : std::string(),
          open_git_,
          prepared_.pinned.bundle};
}

void RunPreparation::check_preconditions() {
  if (ledger_ || request_.resume) return choose_name();
  preconditions_ = std::make_unique<Preconditions>(world_, preconditions());
  preconditions_->check([this](Result<std::vector<Skill>> skills) {
    if (!skills) return finish(fail(skills.error()));
    std::vector<std::string> names;
    for (const auto& skill : *skills) names.push_back(skill.name);
    prepared_.started.skills = std::move(names);
    choose_name();
  });
}

void RunPreparation::choose_name() {
  if (!request_.run.empty()) return finish(std::move(prepared_));
  const std::string stem = run_name_stem(prepared_.pinned.workflow.name, world_.clock.wall_now());
  finding_.free_name(stem, world_.random, [this](Result<std::string> name) {
    if (!name) return finish(fail(name.error()));
    prepared_.pinned.run = *std::move(name);
    finish(std::move(prepared_));
  });
}

void RunPreparation::finish(Result<PreparedRun> outcome) {
  if (const Done done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

Result<std::string> key_for(const env::World& world, const Variable& variable, const RunRequest& request) {
  const ProjectRead read = TRY(read_project_of(world, variable, request));
  return key_of_run(read.key, request.setup.project, request.setup.parent);
}

Result<void> check_agents(const env::World& world, const Variable& variable, const RunRequest& request) {
  const auto settings = TRY(read_settings(world.files, variable, request.setup.project, request.setup.settings));
  workflow::Workflow workflow = TRY(cli::load_checked(request.found));
  workflow::configure(workflow, TRY(configuration_for(workflow, settings)));
  const Given given = TRY(given_in(workflow, request));
  TRY_VOID(check_drivers(world, {workflow, request.setup, given.entry}));
  const cli::WorkflowPlaces places(world.files, variable, request.setup.project);
  for (auto& each : cli::sub_workflows(places, workflow, cli::SubWorkflows::sure_to_come)) {
    workflow::configure(each, TRY(configuration_for(each, settings)));
    TRY_VOID(check_drivers(world, {each, request.setup}));
  }
  return {};
}

Result<TypedWords> words_of_named(const workflow::Workflow& workflow, const NamedWords& named) {
  TypedWords typed;
  const workflow::Entry* entry = workflow::find_entry(workflow, named.entry);
  if (!named.entry.empty()) typed.words.push_back(named.entry);
  Json left = named.arguments;
  left.update(named.flags);
  for (const auto* flag : workflow::flags_of(workflow, entry))
    if (const auto found = left.find(flag->name()); found != left.end()) {
      add_flag(*flag, *found, typed.flags);
      left.erase(found);
    }
  bool is_missing = false;  // whoever resolves the words says so
  for (const auto* argument : workflow::arguments_of(workflow, entry)) {
    const auto found = left.find(argument->name);
    is_missing = is_missing || (found == left.end() && !argument->fallback);
    if (!is_missing) typed.words.push_back(found == left.end() ? *argument->fallback : text_of_argument(*found));
    left.erase(argument->name);
  }
  if (left.empty()) return typed;
  return fail(Code::invalid,
              fmt::format("workflow {}{}{} has no argument {}", workflow.name, entry == nullptr ? "" : " ", named.entry,
                          quoted(left.begin().key(), 80)),
              fmt::format("See them with `teamster workflow show {}`", workflow.name));
}

}  // namespace teamster::engine
