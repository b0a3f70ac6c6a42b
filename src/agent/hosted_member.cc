#include "agent/hosted_member.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/report.h"
#include "agent/temporary_directory.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/clock.h"
#include "env/loop.h"
#include "env/processes.h"
#include "protocol/client/call.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/addresses.h"
#include "protocol/words/message_kinds.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kHostLookAgainAfter = 500ms;
constexpr Duration kAgentLookAgainAfter = 50ms;
constexpr Duration kAgentOfKilledHostMax = limits::kKeeperGrace + 1s;

std::string letters_text(const std::vector<Letter>& letters) {
  std::vector<Speech> speeches;
  bool again = false;
  bool shutdown = false;
  for (const auto& letter : letters) {
    speeches.push_back(letter.speech);
    again = again || letter.is_again;
    shutdown = shutdown || letter.speech.kind == "shutdown_request";
  }
  std::string text = render_speech(speeches);
  if (again)
    text +=
        "\nYou may have been told some of this before: that turn came to no good end. Go on where you were, and do not "
        "repeat what is done.\n";
  if (shutdown)
    text +=
        "\nTo agree to the shutdown, finish what must not be left half done and send a message of kind "
        "shutdown_response with the body {\"approve\":true}; to refuse, {\"approve\":false,\"reason\":\"…\"}.\n";
  return text;
}

}  // namespace

HostedMember::HostedMember(const env::World& world, hub::Client& hub, const hub::Home& home, MemberOptions options,
                           MemberObserver observer)
    : world_(world),
      hub_(hub),
      home_(home),
      options_(std::move(options)),
      observer_(std::move(observer)),
      directory_(home.member_directory(options_.team, options_.member)),
      later_(world.loop),
      receipts_(world, hub),
      transcript_(world.files, world.clock,
                  options_.transcript.empty() ? Transcript::file_in(directory_) : options_.transcript) {}

HostedMember::~HostedMember() {
  session_.reset();
  // In the home it goes with the team; elsewhere nobody else would remove it.
  const std::string& temporary = options_.environment.temporary_directory;
  if (!lock_ || temporary.empty() || temporary.starts_with(directory_)) return;
  (void)world_.files.remove_tree(temporary);
  // The last of the home that goes takes what held them all.
  if (const auto left = world_.files.list(temporary_root_of(home_)); left && left->empty())
    (void)world_.files.remove_tree(temporary_root_of(home_));
}

void HostedMember::start() {
  auto prepared = prepare();
  if (!prepared) {
    if (wait_for_host(prepared.error())) return;
    // For whoever waits for it and does not see our errors.
    record_.trouble = prepared.error().text();
    if (lock_) save_record("gone");
    state_ = State::gone;
    return later_.call([this, error = prepared.error()] { observer_.on_gone(fail(error)); });
  }
  join_when_alone();
}

// What was the agent of a host that was killed is ended by its keeper, which takes a moment; two at once would speak in
// one conversation. The number may be another's by now, so it is not waited for any longer than that takes.
void HostedMember::join_when_alone() {
  const bool is_there = record_.agent_pid != 0 && world_.processes.identify(record_.agent_pid);
  if (is_there && waited_for_agent_ < kAgentOfKilledHostMax) {
    waited_for_agent_ += kAgentLookAgainAfter;
    look_again_ = world_.loop.after(kAgentLookAgainAfter, [this] { join_when_alone(); });
    return;
  }
  joining_ = hub::ask_owned(hub_, hub::JoinTeam{.team = options_.team, .member = options_.member},
                            [this](const Result<hub::NewMember>& member) {
                              joining_.reset();
                              if (member) return joined(*member);
                              const bool is_stopped = std::exchange(state_, State::gone) == State::stopping;
                              observer_.on_gone(is_stopped ? Result<void>() : fail(member.error()));
                            });
}

// False when nobody else runs the member, or it has been waited for long enough.
bool HostedMember::wait_for_host(const Error& refusal) {
  if (lock_ || refusal.code != Code::refused || options_.waits_for_host <= Duration::zero()) return false;
  if (!std::exchange(is_waiting_, true)) observer_.on_note(fmt::format("{}; waiting for its end", refusal.what));
  options_.waits_for_host -= kHostLookAgainAfter;
  look_again_ = world_.loop.after(kHostLookAgainAfter, [this] { start(); });
  return true;
}

Result<void> HostedMember::prepare() {
  TRY_VOID(world_.files.make_private_directory(directory_));
  lock_ = TRY(world_.files.try_lock(directory_ + "/host.lock"));
  const auto earlier = Record::load(world_.files, directory_);
  if (!lock_)
    return fail(
        Code::refused,
        fmt::format("member {} of team {} is run by process {} already", options_.member, options_.team,
                    earlier ? earlier->host.pid : 0),
        fmt::format("Stop it first: `teamster agent stop --team {} --member {}`", options_.team, options_.member));
  record_.driver = options_.driver->name();
  record_.model = options_.start.model;
  record_.directory = options_.start.directory;
  record_.host = world_.processes.self();
  record_.transcript = options_.transcript;
  // Of a host that was killed, until there is one of ours.
  if (earlier && earlier->host.boot_id == record_.host.boot_id) record_.agent_pid = earlier->agent_pid;
  // Numbers of turns are the member's, not the conversation's.
  if (earlier) record_.turns = earlier->turns;
  record_.conversation = options_.conversation;
  if (earlier && !options_.fresh && earlier->driver == record_.driver &&
      earlier->conversation == record_.conversation) {
    record_.resume_token = earlier->resume_token;
    record_.cost_usd = earlier->cost_usd;
  }
  options_.environment.private_directory = directory_;
  options_.environment.home = home_.path();
  options_.environment.temporary_directory = temporary_directory_of(home_, options_.team, options_.member);
  TRY_VOID(world_.files.make_private_directory(options_.environment.temporary_directory));
  TRY_VOID(world_.files.make_private_directory(directory_ + "/config"));
  if (!options_.transcript.empty())
    TRY_VOID(world_.files.make_private_directory(options_.transcript.substr(0, options_.transcript.rfind('/'))));
  TRY_VOID(make_environment_of_agent());
  StartOptions& start = options_.start;
  start.team = options_.team.substr(0, options_.team.find('@'));
  start.member = options_.member;
  start.private_directory = directory_;
  if (options_.driver->abilities().has_tools) start.team_tools = tools_command();
  return {};
}

Result<void> HostedMember::make_environment_of_agent() {
  std::string key;
  if (options_.environment.login == Login::file) {
    constexpr std::size_t kKeyMaxBytes = 16 * 1024;
    key = TRY(world_.files.read(options_.environment.login_file, kKeyMaxBytes));
    key = trimmed(key);
  }
  options_.start.environment = TRY(make_environment(
      *options_.driver, options_.environment, [this](const char* name) { return world_.processes.variable(name); },
      key));
  return {};
}

std::vector<std::string> HostedMember::tools_command() {
  std::vector<std::string> words = {
      world_.processes.own_executable(), "mcp", "--team", options_.team, "--member", options_.member};
  if (!options_.start.directory.empty()) words.insert(words.end(), {"--project", options_.start.directory});
  if (!options_.run.empty()) words.insert(words.end(), {"--run", options_.run});
  words.insert(words.end(), {"--inbox", options_.driver->abilities().injects ? "host" : "tools"});
  return words;
}

void HostedMember::joined(const hub::NewMember& member) {
  seat_ = {options_.team, options_.member, member.epoch};
  record_.epoch = seat_.epoch.value;
  if (state_ == State::stopping) return leave({});
  delivery_ = std::make_unique<Delivery>(world_, hub_, receipts_, seat_,
                                         Delivery::Handlers{[this] { next(); },
                                                            [this](const Error& why) {
                                                              seat_.epoch = {};  // over: there is nothing to leave
                                                              is_team_gone_ = !has_token();
                                                              stop(why.what);
                                                            }});
  auto started = start_session();
  if (!started) return leave(fail(started.error()));
  state_ = State::running;
  save_record(session_->is_up() ? "idle" : "starting");
  delivery_->start();
  observer_.on_ready();
  next();
}

// The hub takes the member's directory away with its team, and with it the token; whoever joins in our place has one.
bool HostedMember::has_token() const {
  const auto status = world_.files.status(home_.token_file(options_.team, options_.member));
  return !status || status->has_value();
}

Result<void> HostedMember::start_session() {
  began_ = false;
  options_.start.resume_token = record_.resume_token;
  options_.start.cost_so_far_usd = record_.resume_token.empty() ? 0 : record_.cost_usd;
  session_ = TRY(options_.driver->start(world_, options_.start, *this));
  record_.agent_pid = session_->pid();
  transcript_.note(fmt::format("{} started{}", options_.driver->name(),
                               record_.resume_token.empty() ? "" : ", conversation resumed"));
  return {};
}

void HostedMember::ask(Prompt prompt, std::function<void(const TurnResult&)> done) {
  asked_.push_back({std::move(prompt), std::move(done)});
  next();
}

void HostedMember::stop(const std::string& reason) {
  if (state_ == State::stopping || state_ == State::gone) return;
  const bool was_running = state_ == State::running;
  state_ = State::stopping;
  stop_reason_ = reason;
  respawn_later_.reset();
  look_again_.reset();
  pause_.reset();
  observer_.on_note(fmt::format("stopping: {}", reason));
  if (was_running && session_) return session_->close();
  // Who has asked to join may have joined, and leaves when it knows.
  if (!joining_) leave({});
}

// Whatever is to be said next, if it can be said now.
void HostedMember::next() {
  if (state_ != State::running || !session_ || is_renewing_) return;
  const Abilities abilities = options_.driver->abilities();
  if (session_->is_working() || task_) {
    if (delivery_->has_interrupt() && abilities.interrupts) {
      if (!std::exchange(interrupting_, true)) session_->interrupt();
    } else if (tells_letters_now() && abilities.injects && !delivery_->next_is_alone() && !interrupting_) {
      say_letters();
    }
    return;
  }
  if (approve_shutdown()) return;
  if (!tells_letters_now() && asked_.empty()) {
    if (leaves_because_) stop(*leaves_because_);
    return;
  }
  if (renew()) return;
  if (tells_letters_now()) return say_letters();
  was_asked_ = true;
  Asked asked = std::move(asked_.front());
  asked_.erase(asked_.begin());
  say_prompt(std::move(asked));
}

void HostedMember::stop_when_idle(const std::string& reason) {
  leaves_because_ = reason;
  next();
}

// What is to be told again waits for its pause, unless somebody has something new to say.
bool HostedMember::tells_letters_now() const {
  const bool waits_for_prompt = options_.begins_with_prompt && !was_asked_;
  return delivery_->has_letters() && !waits_for_prompt &&
         (!pause_ || delivery_->has_new_letters() || delivery_->has_shutdown_request());
}

// Its epoch ends with that, and the hub says so.
bool HostedMember::approve_shutdown() {
  if (!options_.approves_shutdown || !delivery_->has_shutdown_request()) return false;
  if (std::exchange(approved_shutdown_, true)) return true;
  receipts_.tell(hub::SendMessage{.team = options_.team,
                                  .from = options_.member,
                                  .to = kOperator,
                                  .text = {.body = R"({"approve":true,"reason":"idle; answered by its host"})",
                                           .kind = message_kind::kShutdownResponse}});
  return true;
}

void HostedMember::say_letters() {
  const std::string input = fmt::format("input-{}-{}", seat_.epoch.value, last_input_ + 1);
  pause_.reset();
  const auto letters = delivery_->take(input);
  if (!task_) begin_task(letters.front().schema);
  std::string text = letters_text(letters);
  if (letters.front().schema)
    text += schema_instructions(*letters.front().schema, {.has_report = options_.driver->abilities().has_tools});
  say(std::move(text));
}

void HostedMember::say_prompt(Asked asked) {
  begin_task(asked.prompt.schema);
  if (!asked.begun) asked.begun = world_.clock.now();
  task_->asked = std::move(asked);
  const Prompt& prompt = task_->asked.prompt;
  std::string text = prompt.text;
  if (prompt.schema)
    text += schema_instructions(*prompt.schema, {.has_report = options_.driver->abilities().has_tools,
                                                 .is_form_shown = prompt.shows_form,
                                                 .marker = prompt.marker});
  say(std::move(text));
}

void HostedMember::begin_task(std::optional<Json> schema) {
  task_ = Task{};
  if (schema) {
    auto compiled = schema::Schema::compile(*schema);
    if (compiled)
      task_->compiled = *std::move(compiled);
    else
      observer_.on_note("the schema of the answer cannot be used: " + compiled.error().text());
  }
  task_->schema = std::move(schema);
  // For the `report` tool. Without a schema nothing is written: a turn must not wait for a disk.
  if (task_->schema) {
    schema_written_ = true;
    (void)world_.files.write_atomically(directory_ + "/turn.json",
                                        dump_json({{"turn", record_.turns + 1}, {"schema", *task_->schema}}), 0600);
    forget_report(world_.files, directory_);
  } else if (std::exchange(schema_written_, false)) {
    (void)world_.files.remove_tree(directory_ + "/turn.json");
  }
}

void HostedMember::say(std::string text) {
  const std::string input = fmt::format("input-{}-{}", seat_.epoch.value, ++last_input_);
  if (task_ && task_->inputs.empty()) task_->inputs.push_back(input);
  session_->say({input, text});
  transcript_.told(input, text, task_ && !task_->mending ? task_->asked.prompt.id : "");
}

}  // namespace teamster::agent
