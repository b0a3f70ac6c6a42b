#include "script/agent.h"

#include <array>
#include <csignal>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"
#include "base/line_reader.h"
#include "base/text.h"
#include "env/files.h"
#include "env/later.h"
#include "env/loop.h"
#include "env/processes.h"
#include "schema/schema.h"
#include "script/command_run.h"
#include "script/file_change.h"
#include "script/mcp_client.h"
#include "script/place_file.h"
#include "script/player.h"
#include "script/rehearsal_place.h"
#include "script/wire.h"

namespace teamster::script {
namespace {

constexpr const char* kDefaultModel = "scripted";
constexpr std::size_t kVariableMaxBytes = std::size_t{100} * 1024;  // Linux takes 128 KiB

class Agent : public RunningAgent {
 public:
  using OnLeft = std::function<void(int code)>;

  Agent(Surroundings surroundings, Settings settings, Script script, PlaceFile file, OnLeft on_left)
      : outside_(std::move(surroundings)),
        world_(outside_.world),
        settings_(std::move(settings)),
        script_(std::move(script)),
        file_(std::move(file)),
        on_left_(std::move(on_left)),
        later_(world_.loop) {}

  void start(Place place, std::optional<schema::Schema> schema) {
    player_.emplace(Player::Parts{script_, settings_, world_.clock, world_.random}, std::move(place),
                    std::move(schema));
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
      signals_.push_back(outside_.watch_signal(number, [this, number] { carry_out(player_->signalled(number)); }));
    outside_.streams->start({.on_bytes = [this](std::string_view bytes) { take_bytes(bytes); },
                             .on_end = [this] { on_end(); },
                             .on_drained = [this] { on_drained(); }});
  }
  void refuse_resume(const std::string& id);

 private:
  void take_bytes(std::string_view bytes) {
    lines_.add(bytes);
    while (!leaving_) {
      const auto line = lines_.next();
      if (!line) return;
      if (line->is_too_long) return leave({.exit = 1, .complaint = "Error parsing streaming input line (too long)"});
      carry_out(player_->hear(line->text));
    }
  }

  // What is printed together goes out in one write.
  void carry_out(Player::Actions actions) {
    if (leaving_) return;
    std::string printed;
    for (auto& action : actions) {
      if (auto* print = std::get_if<Print>(&action)) {
        printed += print->bytes;
        continue;
      }
      write(printed);
      printed.clear();
      if (auto* keep = std::get_if<Keep>(&action)) this->keep(keep->record);
      if (auto* begin = std::get_if<Begin>(&action))
        std::visit([this](const auto& effect) { start(effect); }, begin->effect);
      if (std::holds_alternative<Abandon>(action)) abandon();
      if (auto* die = std::get_if<Die>(&action)) this->die(die->crash);
      if (auto* leave_now = std::get_if<Leave>(&action)) leave(*leave_now);
      if (leaving_) return;
    }
    write(printed);
  }

  void write(std::string_view bytes) {
    if (!bytes.empty()) outside_.streams->write(bytes);
  }

  void keep(const Json& record) {
    const auto kept = file_.append(record);
    // An agent that forgets where it was would do steps twice.
    if (!kept) leave({.exit = 1, .complaint = "Error: " + kept.error().text(), .in_a_hurry = true});
  }

  // Each effect has a number, so that what an abandoned one still says is not heard.
  void finish_later(Outcome outcome) {
    later_.call([this, number = effect_, outcome = std::move(outcome)] { finish(number, outcome); });
  }
  void finish(std::uint64_t number, const Outcome& outcome) {
    if (number != effect_ || leaving_) return;
    abandon();
    carry_out(player_->finished(outcome));
  }
  void abandon() {
    ++effect_;
    is_flushing_ = false;
    timer_.reset();
    command_.reset();
    if (call_) call_->client->take_back(call_->number);
    call_.reset();
  }

  void start(const Flush&) {
    if (outside_.streams->unsent_bytes() == 0) return finish_later({});
    is_flushing_ = true;
  }
  void start(const Pause& pause) {
    const auto over = [this, number = effect_] { finish(number, {}); };
    timer_ = settings_.rehearsal.empty() ? world_.loop.after(pause.span, over)
                                         : pause_in_rehearsal(world_, settings_.rehearsal, pause.span, over);
  }
  void start(const Command& command) {
    std::vector<std::string> environment = environment_;
    for (const auto& [name, text] : {std::pair{"PROMPT=", &command.prompt}, std::pair{"MESSAGE=", &command.message}})
      environment.push_back(name + std::string(beginning_of(*text, kVariableMaxBytes)));
    auto run = CommandRun::start(world_, command.command, environment,
                                 [this, number = effect_](const Outcome& outcome) { finish(number, outcome); });
    if (!run) return finish_later({.is_error = true, .text = run.error().text()});
    command_ = *std::move(run);
  }
  void start(const FileChange& file) {
    finish_later(change_file(world_.files, {settings_.cwd, file_.path() + ".draft"}, file.change));
  }
  void start(const ToolCall& call);
  void start(const LeaveChild& leave_child);

  // Also when nobody reads us any more: then there is nothing left to flush.
  void on_end() {
    if (outside_.streams->unsent_bytes() == 0) on_drained();
    carry_out(player_->input_ended());
  }

  void on_drained() {
    if (leaving_) exit();
    if (is_flushing_) finish_later({});
    is_flushing_ = false;
  }

  void die(const Crash& crash) {
    leaving_ = crash.exit;
    crash.signal ? outside_.die_by_signal(*crash.signal) : outside_.exit_at_once(crash.exit);
  }

  void leave(const Leave& leave) {
    if (!leave.complaint.empty()) outside_.complain(leave.complaint + "\n");
    abandon();
    leaving_ = leave.exit;
    if (leave.in_a_hurry || outside_.streams->unsent_bytes() == 0) exit();
  }

  // Later: whoever is told may destroy this.
  void exit() {
    if (!on_left_) return;
    later_.call([on_left = std::exchange(on_left_, nullptr), code = *leaving_] { on_left(code); });
  }

  struct Call {
    McpClient* client;
    std::int64_t number;
  };

  Surroundings outside_;
  const env::World world_;
  const Settings settings_;
  const Script script_;
  PlaceFile file_;
  OnLeft on_left_;
  std::optional<Player> player_;
  std::vector<env::Registration> signals_;
  const std::vector<std::string> environment_{world_.processes.environment()};
  LineReader lines_{limits::kScriptInputLineMaxBytes};
  std::map<std::string, std::unique_ptr<McpClient>> clients_;
  std::uint64_t effect_ = 0;
  bool is_flushing_ = false;
  env::Timer timer_;
  std::unique_ptr<CommandRun> command_;
  std::optional<Call> call_;
  std::optional<int> leaving_;
  env::Later later_;
};

void Agent::start(const ToolCall& call) {
  const auto server = settings_.mcp_servers.find(call.server);
  if (server == settings_.mcp_servers.end())
    return finish_later(
        {.is_error = true, .text = fmt::format("there is no MCP server {} in --mcp-config", call.server)});
  auto& client = clients_[call.server];
  if (!client) client = std::make_unique<McpClient>(world_, call.server, server->second, environment_);
  const auto number = client->call(call.tool, call.arguments, [this, effect = effect_](const Outcome& outcome) {
    if (effect == effect_) call_.reset();  // answered: there is nothing to take back
    finish(effect, outcome);
  });
  call_ = Call{client.get(), number};
}

void Agent::start(const LeaveChild& leave_child) {
  const Fork& fork = leave_child.fork;
  const auto pid =
      fork.detached
          ? world_.processes.spawn_detached({"/bin/sh", {"sh", "-c", fork.command}, environment_, settings_.cwd})
          : outside_.leave_child(fork.command);
  if (!pid) return finish_later({.is_error = true, .text = pid.error().text()});
  finish_later({.text = fmt::format("Command running in background with pid {}", *pid)});
}

// As the real one tells it: on both streams.
void Agent::refuse_resume(const std::string& id) {
  const std::string text = "No conversation found with session ID: " + id;
  Wire wire(world_.clock, world_.random, id);
  ResultFacts facts;
  facts.subtype = "error_during_execution";
  facts.is_error = true;
  facts.errors = Json::array({text});
  outside_.streams->write(wire.result(facts, nullptr));
  leave({.exit = 1, .complaint = text, .in_a_hurry = true});
}

}  // namespace

Result<std::unique_ptr<RunningAgent>> start_agent(Surroundings surroundings, Settings settings, Script script,
                                                  std::function<void(int code)> on_left) {
  const env::World world = surroundings.world;
  const auto wanted = settings.resume ? settings.resume : settings.session_id;
  const std::string id = wanted ? *wanted : Wire::random_uuid(world.random);
  PlaceFile file(world.files, settings.place_directory, id);
  auto place = TRY(file.load());
  const bool is_lost = settings.resume && !place;
  if (!settings.resume && place) return fail(Code::failed, fmt::format("Error: Session ID {} is already in use.", id));
  if (!place) {
    place.emplace();
    place->session_id = id;
    place->model = settings.model.value_or(kDefaultModel);
  }
  std::optional<schema::Schema> schema;
  if (settings.json_schema) schema = TRY(schema::Schema::compile(*settings.json_schema));
  auto agent = std::make_unique<Agent>(std::move(surroundings), std::move(settings), std::move(script), std::move(file),
                                       std::move(on_left));
  is_lost ? agent->refuse_resume(id) : agent->start(*std::move(place), std::move(schema));
  return std::unique_ptr<RunningAgent>(std::move(agent));
}

Result<int> run_agent(Surroundings surroundings, Settings settings, Script script) {
  env::Loop& loop = surroundings.world.loop;
  std::optional<int> exit_code;
  const auto agent = TRY(start_agent(std::move(surroundings), std::move(settings), std::move(script),
                                     [&exit_code](int code) { exit_code = code; }));
  loop.run_until([&exit_code] { return exit_code.has_value(); });
  return exit_code.value_or(0);
}

}  // namespace teamster::script
