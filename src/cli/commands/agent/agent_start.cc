#include <csignal>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/host.h"
#include "base/limits.h"
#include "cli/commands/agent/agent_options.h"
#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/agent_text.h"
#include "cli/text/answer_fields.h"
#include "env/files.h"
#include "env/later.h"
#include "env/loop.h"
#include "env/processes.h"
#include "keeper/kept_processes.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// What the members of this host have done, for the document at the end.
struct Account {
  std::int64_t turns = 0;
  std::string text;
  Json result;
  std::string error;
};

// Lines of several members stay apart by their names.
void print_lines(Context& context, const std::string& member, const std::string& text) {
  if (text.empty() || context.wants_json()) return;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at || at == 0)
      context.print(fmt::format("{}  {}\n", context.palette().bold(member), text.substr(at, end - at)));
    at = end + 1;
  }
  context.outside().out.flush();
}

class StartedHost {
 public:
  StartedHost(Context& context, const Arguments& arguments, const hub::Home& home)
      : context_(context),
        arguments_(arguments),
        world_(context.outside().kept_world()),
        host_(world_, home,
              [this](const Result<void>& outcome) {
                outcome_ = outcome;
                is_done_ = true;
              }),
        later_(world_.loop) {}

  Result<int> run(std::vector<agent::MemberOptions> members, const std::optional<Json>& schema) {
    std::vector<env::Registration> signals;
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
      signals.push_back(context_.outside().watch_signal(number, [this] { host_.stop("its host was stopped"); }));
    left_ = members.size();
    for (auto& options : members) add(std::move(options), schema);
    world_.loop.run_until([this] { return is_done_; });
    if (!outcome_) return fail(outcome_.error());
    if (context_.wants_json()) context_.print_json(document());
    for (const auto& [name, account] : accounts_)
      if (arguments_.has("once") && !account.error.empty()) return kExitNothing;
    return kExitDone;
  }

 private:
  void add(agent::MemberOptions options, const std::optional<Json>& schema) {
    const std::string name = options.member;
    agent::MemberObserver observer;
    observer.on_note = [this, name](const std::string& text) { print_lines(context_, name, "… " + text); };
    observer.on_activity = [this, name](const agent::Activity& activity) {
      print_lines(context_, name, activity_text(activity));
    };
    observer.on_turn = [this, name](const agent::TurnResult& result) { turn_ended(name, result); };
    observer.on_ready = [this, name] { print_lines(context_, name, "ready"); };
    observer.on_gone = [this, name](const Result<void>& outcome) {
      if (!outcome) accounts_[name].error = outcome.error().text();
      print_lines(context_, name, outcome ? "gone" : "gone: " + outcome.error().text());
    };
    agent::HostedMember& member = host_.add(std::move(options), std::move(observer));
    if (!arguments_.has("prompt")) return;
    member.ask({arguments_.value("prompt"), schema}, [this](const agent::TurnResult&) {
      if (arguments_.has("once") && --left_ == 0) later_.call([this] { host_.stop("its work is done"); });
    });
  }

  void turn_ended(const std::string& name, const agent::TurnResult& result) {
    Account& account = accounts_[name];
    ++account.turns;
    account.text = result.end.text;
    account.error = result.end.error;
    account.result = result.answer.value.value_or(Json());
    print_lines(context_, name, turn_text(result));
  }

  Json document() const {
    Json members = Json::array();
    for (const auto& [name, account] : accounts_) {
      Json entry = {{"member", name}, {"turns", account.turns}, {"text", account.text}};
      if (!account.result.is_null()) entry["result"] = account.result;
      if (!account.error.empty()) entry["error"] = account.error;
      members.push_back(std::move(entry));
    }
    return {{"team", arguments_.value("team")}, {"members", std::move(members)}};
  }

  Context& context_;
  const Arguments& arguments_;
  env::World world_;
  agent::Host host_;
  std::map<std::string, Account> accounts_;
  std::size_t left_ = 0;
  bool is_done_ = false;
  Result<void> outcome_;
  env::Later later_;
};

Result<std::int64_t> spawn_host(const Context& context, const Arguments& arguments) {
  env::Processes& processes = context.outside().world().processes;
  env::Spawn spawn;
  spawn.program = processes.own_executable();
  spawn.arguments = {spawn.program, "agent", "start"};
  for (auto& word : arguments.words_without("detach")) spawn.arguments.push_back(std::move(word));
  spawn.environment = processes.environment();
  spawn.directory = std::filesystem::current_path();
  return processes.spawn_detached(spawn);
}

// The record of a member that the host of this pid has brought up, or why it has not. What one look has shown is
// enough and is not looked at again: a member that is up may be starting again a moment later, because its agent
// could not take the old conversation up.
Result<agent::Record> wait_until_up(const Context& context, const std::string& team, const std::string& member,
                                    std::int64_t pid) {
  std::optional<agent::Record> seen;
  const auto sees_it = [&](const Presence& presence) {
    if (presence.record && presence.record->host.pid == pid && presence.record->state != "starting")
      seen = presence.record;
    return seen.has_value();
  };
  const auto is_decided = [&](const Presence& presence) {
    if (sees_it(presence)) return true;
    if (context.outside().world().processes.identify(pid)) return false;
    // It is dead, and may have written between our look and its death.
    if (const auto last = presence_of(context, team, member)) sees_it(*last);
    return true;
  };
  if (!TRY(wait_for_presence(context, team, member, limits::kAgentStartDeadline, is_decided)))
    return fail(Code::failed,
                fmt::format("member {} is not up after {}", member, describe_duration(limits::kAgentStartDeadline)),
                fmt::format("Process {} goes on trying; see `teamster agent list`", pid));
  if (seen && seen->state != "gone") return *seen;
  return fail(Code::failed, fmt::format("member {} did not start{}", member, seen ? ": " + seen->trouble : ""),
              "Start it without --detach to see why");
}

// Starts this command again, away from the terminal, and waits until its members are up.
Result<int> detach(Context& context, const Arguments& arguments, const hub::Home& home) {
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  // Watched before the host can write there.
  for (const auto& name : arguments.values("member"))
    TRY_VOID(context.outside().world().files.make_private_directory(home.member_directory(team, name)));
  const std::int64_t pid = TRY(spawn_host(context, arguments));
  Json members = Json::array();
  std::string text;
  for (const auto& name : arguments.values("member")) {
    const agent::Record record = TRY(wait_until_up(context, team, name, pid));
    members.push_back({{"name", name}, {"epoch", record.epoch}, {"driver", record.driver}, {"pid", pid}});
    text += fmt::format("{} of team {} runs in process {} (epoch {})\n", name, team, pid, record.epoch);
  }
  if (context.wants_json())
    context.print_json({{"team", team}, {"host_pid", pid}, {"members", std::move(members)}});
  else
    context.print(text);
  return kExitDone;
}

Result<int> run_agent_start(Context& context, const Arguments& arguments) {
  const hub::Home home = TRY(context.home());
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot start agents", "Run it as the operator, without a token");
  std::optional<Json> schema;
  if (arguments.has("schema")) schema = TRY(read_schema(context, arguments.value("schema")));
  std::vector<agent::MemberOptions> members;
  for (const auto& name : arguments.values("member")) members.push_back(TRY(agent_options(context, arguments, name)));
  if (arguments.has("once") && !arguments.has("prompt"))
    return fail(Code::invalid, "--once needs something to do", "Add --prompt TEXT");
  const auto status = TRY(context.ask(hub::GetTeamStatus{arguments.value("team")}));
  for (auto& member : members) member.team = status.ref;
  if (arguments.has("detach")) return detach(context, arguments, home);
  keeper::end_leftovers(context.outside().world().processes);
  StartedHost host(context, arguments, home);
  return host.run(std::move(members), schema);
}

}  // namespace

Command agent_start() {
  Command command = {
      .path = "agent start",
      .topic = "Agents",
      .summary = "Run members of a team as agents, in this process",
      .description =
          "Each member joins as a new epoch and gets an agent of its own: started, woken by messages, resumed after "
          "a crash, and gone with everything it started when this process ends, however it ends. Ctrl-C stops it. A "
          "conversation that was interrupted is taken up again.",
      .hub = HubUse::writes,
      .positionals = {{.name = "ARGUMENT",
                       .help = "After --: the command of the command driver, or more arguments for the agent",
                       .required = false,
                       .repeatable = true}},
      .flags = {team_flag(),
                named_members_flag("The member"),
                {.name = "detach", .help = "Leave it running in the background"},
                {.name = "once", .help = "Stop when the answer to --prompt is there"}},
      .examples = {{"teamster agent start --team demo --member builder --driver claude --allow 'Bash(git *)'",
                    "Claude Code as the builder, allowed to run git"},
                   {"teamster agent start --team demo --member tester --driver script --script play.json --detach",
                    "A scripted member in the background"},
                   {"teamster agent start --team demo --member counter --driver command -- wc -w",
                    "Any program: it gets each message on stdin"}},
      .run = run_agent_start,
  };
  for (auto& flag : agent_flags()) command.flags.push_back(std::move(flag));
  return command;
}

}  // namespace teamster::cli::commands
