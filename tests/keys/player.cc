#include "keys/player.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/claude/claude_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/outside_for_test.h"
#include "cli/framework/registry.h"
#include "cli/text/run_lines.h"
#include "cli/text/run_text.h"
#include "cli/text/workflow_text.h"
#include "engine/ledger_following.h"
#include "engine/run_drivers.h"
#include "engine/state_following.h"
#include "people/posting.h"
#include "project/preconditions.h"
#include "project/project_values.h"
#include "project/series.h"
#include "workflow/format/entry.h"
#include "workflow/format/graph.h"

namespace teamster::keys {

using workflow::RunEvent;
using workflow::RunRecord;
namespace command = workflow::command;
namespace event = workflow::event;

namespace {

constexpr const char* kProject = "/home/user/project";
constexpr const char* kTemporary = "/tmp";
constexpr std::size_t kFileMaxBytes = 1 << 20;
constexpr std::size_t kRecordsMax = 150;  // of runs that find no end
constexpr std::int64_t kStarted = 1'763'000'000;

simulation::SimulatedShell::Commands commands_of(const Play& play) {
  simulation::SimulatedShell::Commands commands;
  for (const auto& [words, exit] : play.commands)
    commands.emplace_back(words, [exit = exit](env::Files&, const std::string&) {
      return simulation::ShellAnswer{exit, "said so"};
    });
  return commands;
}

auto said_in(const std::map<std::string, std::string>& texts) {
  return [&texts](const std::string& name) -> std::optional<std::string> {
    const auto found = texts.find(name);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  };
}

// Takes the words of prompts and reports out: they are traced where they are seen.
void take_words(Json& value, std::vector<std::string>& prompts, std::vector<std::string>& reports) {
  if (value.is_object())
    for (auto& [key, inner] : value.items()) {
      auto* into = key == "prompt" ? &prompts : key == "report" ? &reports : nullptr;
      if (into != nullptr && inner.is_string()) into->push_back(std::exchange(inner, Json()).get<std::string>());
    }
  if (value.is_structured())
    for (auto& inner : value) take_words(inner, prompts, reports);
}

std::string question_for_people(const engine::RunQuestion& question) {
  cli::CapturedOutput out;
  const cli::Outside outside{.out = out,
                             .err = out,
                             .read_input = {},
                             .read_line = {},
                             .variable = [](const char*) { return std::optional<std::string>(); },
                             .now = [] { return WallTime{kStarted * 1000}; },
                             .call = {},
                             .world = {},
                             .watch_signal = {}};
  const cli::Registry registry({});
  const cli::Command command{};
  const auto arguments = cli::Arguments::parse(command, {}, false);
  return cli::question_text(cli::Context(outside, registry, *arguments), question, question.id());
}

// Uses of tools that an agent may ask for.
std::vector<agent::PermissionRequest> probes() {
  return {{"1", "Read", {{"file_path", "a"}}, ""},        {"2", "Edit", {{"file_path", "a"}}, ""},
          {"3", "Write", {{"file_path", "a"}}, ""},       {"4", "Bash", {{"command", "rm a"}}, ""},
          {"5", "Bash", {{"command", "git log"}}, ""},    {"6", "mcp__docs__find", Json::object(), ""},
          {"7", "WebSearch", {{"query", "teamster"}}, ""}};
}

}  // namespace

Player::Player(const workflow::Bundle& bundle, const workflow::Workflow& workflow, const Play& play)
    : play_(play),
      shell_(world_, commands_of(play)),
      view_(world_.start("player").view()),
      pinned_{.run = workflow.name + "-20261116-1a2b", .workflow = workflow, .bundle = bundle} {
  setup_.project = kProject;
  setup_.auth_file = "/home/user/key";
}

Trace Player::play() {
  write_project();
  show_workflow();
  note_series();
  if (!prepare()) return trace_;
  happens(workflow::event_of(started_));
  for (std::size_t records = 1; records < kRecordsMax && !state_.has_ended(); ++records) {
    // People are asked last: they take their time.
    auto next = std::find_if(waiting_.begin(), waiting_.end(),
                             [&](const auto& id) { return !state_.open.at(id).template is<command::Ask>(); });
    if (next == waiting_.end()) next = waiting_.begin();
    if (next == waiting_.end()) break;
    const std::string id = *next;
    waiting_.erase(next);
    answer(state_.open.at(id));
  }
  note_files();
  return trace_;
}

void Player::write_file(const std::string& path, const std::string& text) {
  const std::string whole = path.starts_with('/') ? path : fmt::format("{}/{}", kProject, path);
  ASSERT_TRUE(view_.files.make_private_directory(whole.substr(0, whole.rfind('/'))));
  ASSERT_TRUE(view_.files.write_atomically(whole, text, 0644));
}

void Player::write_project() {
  ASSERT_TRUE(view_.files.make_private_directory(std::string(kProject) + "/.git"));
  ASSERT_TRUE(view_.files.make_private_directory(kTemporary));
  const auto is_new = [&](const std::string& path) {
    return std::find(play_.uncommitted.begin(), play_.uncommitted.end(), path) != play_.uncommitted.end();
  };
  for (const auto& [path, text] : play_.files)
    if (!is_new(path)) write_file(path, text);
  simulation::SimulatedRepository repository(view_.files, kProject);
  repository.commit(repository.changed(), "chore: begin", "");
  for (const auto& path : play_.uncommitted) write_file(path, play_.files.at(path));
  if (play_.is_detached) write_file(".git/detached", "c0ffee");
}

void Player::show_workflow() {
  const cli::FoundWorkflow found{pinned_.workflow.name, "path", "/home/user/workflow", pinned_.bundle};
  note(place::kShown, cli::workflow_text(found, pinned_.workflow, 0));
  note(place::kShown, workflow::mermaid_graph(pinned_.workflow));
}

void Player::note_series() {
  if (!pinned_.workflow.series) return;
  const auto series = engine::series_in_order({view_.files, kProject}, pinned_.workflow);
  if (!series) return note(place::kStart, series.error().text());
  for (const auto& item : series->items)
    note(place::kStart, fmt::format("item {} {} {}", item.argument, item.path, dump_json(item.dependencies)));
  for (const auto& reference : series->references) note(place::kStart, "reference " + reference);
}

bool Player::prepare() {
  const auto refused = [this](const Error& error) {
    note(place::kStart, error.text());
    return false;
  };
  const auto given = engine::resolve_words(pinned_.workflow, play_.words, play_.flags);
  if (!given) return refused(given.error());
  given_ = *given;
  const auto values = engine::resolve_values({view_.files, kProject}, pinned_.workflow, *given,
                                             {said_in(play_.settings), said_in(play_.environment)});
  if (!values) return refused(values.error());
  started_.entry = given->entry;
  started_.args = given->arguments;
  if (!given->flags.empty()) started_.flags = given->flags;
  started_.values = *values;
  started_.people = play_.people;
  started_.at_s = kStarted;
  started_.temporary = kTemporary;
  note(place::kStart,
       started_.entry + dump_json(started_.args) + dump_json(started_.flags) + dump_json(started_.values));
  workflow::RunState before;
  before.entry = started_.entry;
  before.args = started_.args;
  before.flags = started_.flags;
  before.values = started_.values;
  const auto key = workflow::short_text(pinned_, {before}, pinned_.workflow.key);
  if (!key) return refused(key.error());
  note(place::kStart, "key " + *key);
  const auto files = engine::files_of_work(pinned_, before);
  if (!files) return refused(files.error());
  note(place::kStart, "files " + dump_json(*files));
  const workflow::Entry* entry = workflow::find_entry(pinned_.workflow, started_.entry);
  if (entry != nullptr && entry->cancels) return refused({Code::refused, "it ends the run with this key", ""});
  return check_preconditions();
}

bool Player::check_preconditions() {
  engine::PreconditionOptions options{
      kProject,
      pinned_.workflow,
      given_,
      started_.values.get<engine::Values>(),
      play_.active,
      {},
      [this](const env::World& world, const std::string& project) { return gits_.open(world, project); },
      pinned_.bundle};
  engine::Preconditions preconditions(view_, std::move(options));
  std::optional<Result<std::vector<engine::Skill>>> outcome;
  preconditions.check([&](Result<std::vector<engine::Skill>> checked) { outcome = std::move(checked); });
  EXPECT_TRUE(world_.run_until([&] { return outcome.has_value(); }));
  if (!*outcome) {
    note(place::kStart, outcome->error().text());
    return false;
  }
  started_.skills.emplace();
  for (const auto& skill : **outcome) started_.skills->push_back(skill.name);
  note(place::kStart, "skills " + dump_json(*started_.skills));
  return true;
}

void Player::happens(RunEvent event) {
  const RunRecord record = workflow::advance(pinned_, state_, std::move(event));
  note_record(record);
  std::erase_if(waiting_, [&](const std::string& id) { return !state_.open.contains(id); });
  const auto wait_for = [&](const std::string& id) {
    const bool is_known = std::find(waiting_.begin(), waiting_.end(), id) != waiting_.end();
    if (!is_known && state_.open.contains(id)) waiting_.push_back(id);
  };
  for (const auto& decided : record.commands) wait_for(decided.id());
  // Then what the event has left open.
  for (const auto& [id, open] : state_.open) wait_for(id);
  follow();
}

void Player::note_record(const RunRecord& record) {
  Json body = workflow::body_of(record);
  take_words(body, trace_[place::kPrompt], trace_[place::kShown]);
  note(place::kJournal, fmt::format("{} {}", record.event.kind(), dump_json(body)));
  const engine::Recorded recorded{0, WallTime{kStarted * 1000}, record};
  for (const auto& line : cli::lines_of(recorded, cli::Palette(false))) note(place::kShown, line);
  for (const auto& decided : record.commands) {
    if (const auto* turn = decided.as<command::Turn>()) note_process(*turn);
    if (const auto* check = decided.as<command::Check>()) note_shell(check->shell);
    if (const auto* notify = decided.as<command::Notify>()) note_shell(notify->shell);
    if (const auto* asks = decided.as<command::Ask>()) note_question(decided, *asks);
  }
}

void Player::note_question(const workflow::RunCommand& decided, const command::Ask& asks) {
  engine::RunQuestion question;
  question.run = pinned_.run;
  question.step = decided.step;
  question.attempt = decided.attempt;
  question.asks = asks;
  question.asked = WallTime{kStarted * 1000};
  note(place::kShown, question_for_people(question));
}

void Player::note_process(const command::Turn& turn) {
  const auto role = pinned_.workflow.roles.find(turn.role);
  if (role == pinned_.workflow.roles.end() || !roles_seen_.insert(turn.role).second) return;
  auto options = engine::member_options(setup_, pinned_, state_, role->second);
  if (!options) return note(place::kProcess, options.error().text());
  note(place::kPrompt, std::exchange(options->start.instructions, {}));
  std::string line = fmt::format("{} {}", turn.role, options->driver->name());
  for (const auto& word : agent::claude_arguments(options->start, "session")) line += " " + word;
  line += fmt::format(", login {}", static_cast<int>(options->environment.login));
  line += fmt::format(", lost after {}", describe_duration(options->start.limits.silence));
  for (const auto& probe : probes()) line += options->permissions.decide(probe).allow ? " yes" : " no";
  note(place::kProcess, line);
}

void Player::note_shell(const command::ShellCommand& shell) {
  note(place::kProcess,
       fmt::format("sh -c {} at most {} ms with {}", shell.command, shell.limit_ms, dump_json(shell.environment)));
}

void Player::follow() {
  if (const auto followed = engine::follow_with_ledger(view_.files, pinned_, kProject, state_); !followed)
    note(place::kFile, followed.error().text());
  if (const auto followed = engine::follow_with_state_file(view_.files, pinned_, kProject, state_); !followed)
    note(place::kFile, followed.error().text());
  const bool has_task = pinned_.workflow.state && !pinned_.workflow.state->task.empty();
  if (!has_task) return;
  const auto subject = workflow::short_text(pinned_, {state_}, pinned_.workflow.state->task);
  const auto fields = engine::state_fields(pinned_, state_);
  note(place::kFile, fmt::format("{} {}", subject.value_or("?"), fields ? dump_json(*fields) : fields.error().text()));
}

void Player::note_files() {
  note_files_below(kProject);
  note_files_below(kTemporary);
}

void Player::note_files_below(const std::string& directory) {
  const auto names = view_.files.list(directory);
  if (!names || directory.ends_with("/.git")) return;
  for (const auto& name : *names) {
    const std::string path = directory + "/" + name;
    const auto status = view_.files.status(path);
    if (status && *status && (*status)->is_directory)
      note_files_below(path);
    else
      note(place::kFile, path + ": " + view_.files.read(path, kFileMaxBytes).value_or("(unreadable)"));
  }
}

}  // namespace teamster::keys
