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
#include "env/files.h"
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

class Agent {
 public:
  Agent(Surroundings& surroundings, const Settings& settings, PlaceFile& file, Player& player)
      : outside_(surroundings), world_(surroundings.world), settings_(settings), file_(file), player_(player) {}

  int run() {
    std::vector<env::Registration> signals;
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
      signals.push_back(outside_.watch_signal(number, [this, number] { carry_out(player_.signalled(number)); }));
    outside_.streams->start({.on_bytes = [this](std::string_view bytes) { take_bytes(bytes); },
                             .on_end = [this] { on_end(); },
                             .on_drained = [this] { on_drained(); }});
    world_.loop.run_until([this] { return exit_.has_value(); });
    return exit_.value_or(0);
  }

 private:
  void take_bytes(std::string_view bytes) {
    lines_.add(bytes);
    while (!leaving_) {
      const auto line = lines_.next();
      if (!line) return;
      if (line->is_too_long) return leave({.exit = 1, .complaint = "Error parsing streaming input line (too long)"});
      carry_out(player_.hear(line->text));
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
    world_.loop.post([this, number = effect_, outcome = std::move(outcome)] { finish(number, outcome); });
  }
  void finish(std::uint64_t number, const Outcome& outcome) {
    if (number != effect_ || leaving_) return;
    abandon();
    carry_out(player_.finished(outcome));
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
    auto run = CommandRun::start(world_, command.command, environment_,
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
    carry_out(player_.input_ended());
  }

  void on_drained() {
    if (leaving_) exit_ = leaving_;
    if (is_flushing_) finish_later({});
    is_flushing_ = false;
  }

  void die(const Crash& crash) {
    if (crash.signal) outside_.die_by_signal(*crash.signal);
    outside_.exit_at_once(crash.exit);
  }

  void leave(const Leave& leave) {
    if (!leave.complaint.empty()) outside_.complain(leave.complaint + "\n");
    abandon();
    leaving_ = leave.exit;
    if (leave.in_a_hurry || outside_.streams->unsent_bytes() == 0) exit_ = leaving_;
  }

  struct Call {
    McpClient* client;
    std::int64_t number;
  };

  Surroundings& outside_;
  env::World& world_;
  const Settings& settings_;
  PlaceFile& file_;
  Player& player_;
  const std::vector<std::string> environment_{world_.processes.environment()};
  LineReader lines_{limits::kScriptInputLineMaxBytes};
  std::map<std::string, std::unique_ptr<McpClient>> clients_;
  std::uint64_t effect_ = 0;
  bool is_flushing_ = false;
  env::Timer timer_;
  std::unique_ptr<CommandRun> command_;
  std::optional<Call> call_;
  std::optional<int> leaving_;
  std::optional<int> exit_;
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
int refuse_resume(Surroundings& outside, const std::string& id) {
  const std::string text = "No conversation found with session ID: " + id;
  Wire wire(outside.world.clock, outside.world.random, id);
  ResultFacts facts;
  facts.subtype = "error_during_execution";
  facts.is_error = true;
  facts.errors = Json::array({text});
  outside.streams->write(wire.result(facts, nullptr));
  outside.complain(text + "\n");
  return 1;
}

}  // namespace

Result<int> run_agent(Surroundings surroundings, const Settings& settings, const Script& script) {
  env::World& world = surroundings.world;
  const auto wanted = settings.resume ? settings.resume : settings.session_id;
  const std::string id = wanted ? *wanted : Wire::random_uuid(world.random);
  PlaceFile file(world.files, settings.place_directory, id);
  auto place = TRY(file.load());
  if (settings.resume && !place) return refuse_resume(surroundings, id);
  if (!settings.resume && place) return fail(Code::failed, fmt::format("Error: Session ID {} is already in use.", id));
  if (!place) {
    place.emplace();
    place->session_id = id;
    place->model = settings.model.value_or(kDefaultModel);
  }
  std::optional<schema::Schema> schema;
  if (settings.json_schema) schema = TRY(schema::Schema::compile(*settings.json_schema));
  Player player({script, settings, world.clock, world.random}, *std::move(place), std::move(schema));
  return Agent(surroundings, settings, file, player).run();
}

}  // namespace teamster::script
