#include "bench/team_scan.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/child_process.h"
#include "bench/hub_connection.h"
#include "bench/subject.h"
#include "bench/targets.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/process_record.h"

namespace teamster::bench {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// As Claude Code writes it, with three members.
Json config_of(const std::string& name, int number) {
  Json members = Json::array();
  for (const char* member : {"team-lead", "ada", "bob"})
    members.push_back({{"agentId", fmt::format("{}@{}", member, name)},
                       {"name", member},
                       {"color", "blue"},
                       {"joinedAt", 1794771013221},
                       {"tmuxPaneId", "in-process"},
                       {"subscriptions", Json::array()},
                       {"model", "claude-opus-5-5"},
                       {"prompt", "Look into the topic and write what you find into one file, with its sources."},
                       {"planModeRequired", false},
                       {"cwd", "/home/kim/projects/notes"},
                       {"backendType", "in-process"},
                       {"isActive", false}});
  return {{"name", name},
          {"createdAt", 1794771013221},
          {"leadAgentId", "team-lead@" + name},
          {"leadSessionId", fmt::format("6e5ef907-1414-4528-88f8-{:012}", number)},
          {"leadProcess",
           {{"pid", 1'000'000 + number}, {"pidSpace", ""}, {"claimedAt", 1794771013221}, {"procStart", "144208"}}},
          {"members", std::move(members)}};
}

Result<double> run_for_ms(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
  const std::int64_t before = monotonic_ns();
  auto process = TRY(ChildProcess::run(words, environment));
  const int code = process.wait();
  const std::int64_t after = monotonic_ns();
  if (code != 0) return fail(Code::failed, fmt::format("{} ended with {}", words.front(), code));
  return static_cast<double>(after - before) / 1e6;
}

}  // namespace

Result<std::unique_ptr<TeamScan>> TeamScan::make(const std::string& binary, const std::string& scratch, int teams) {
  const std::string directory = scratch + "/team-scan";
  fs::create_directories(directory + "/home");
  auto subject = TRY(
      TeamsterSubject::create({.binary = binary, .home = directory + "/home", .senders_max = 0, .claimers_max = 0}));
  std::unique_ptr<TeamScan> scan(new TeamScan(directory, std::move(subject)));
  TRY_VOID(scan->make_own(teams));
  scan->make_foreign(teams);
  return scan;
}

// Owned by processes that are gone; beside each a file that says the same.
Result<void> TeamScan::make_own(int teams) {
  TRY_VOID(subject_->ensure_hub());
  HubConnection connection(subject_->home(), hub::Access::operator_of_home());
  ProcessIdentity owner = connection.world().processes.self();
  fs::create_directories(directory_ + "/own");
  for (int number = 0; number < teams; ++number) {
    owner.pid = 1'000'000 + number;
    const std::string name = fmt::format("exec-notes-{}", 1'794'000'000 + number);
    Json args = {{"team", name}, {"owner", holder_argument(owner)}};
    TRY_VOID(connection.call("team.create", args));
    write(fmt::format("{}/own/{}.json", directory_, name), dump_json(args));
  }
  return {};
}

void TeamScan::make_foreign(int teams) const {
  for (int number = 0; number < teams; ++number) {
    const std::string name = fmt::format("session-{:08x}", 0x6e5e0000 + number);
    const fs::path team = fs::path(directory_) / "claude/teams" / name;
    const fs::path tasks = fs::path(directory_) / "claude/tasks" / name;
    fs::create_directories(team / "inboxes");
    fs::create_directories(tasks);
    write(team / "config.json", dump_json(config_of(name, number)));
    for (const char* id : {"1", "2"})
      write(tasks / (std::string(id) + ".json"), dump_json({{"id", id},
                                                            {"subject", "Look around"},
                                                            {"description", "…"},
                                                            {"status", "pending"},
                                                            {"blocks", Json::array()},
                                                            {"blockedBy", Json::array()},
                                                            {"owner", "bob"}}));
  }
}

Result<double> TeamScan::scan_ms(bool with_foreign) const {
  auto environment = subject_->environment();
  std::erase_if(environment, [](const std::string& each) { return each.starts_with("CLAUDE_CONFIG_DIR="); });
  environment.push_back("CLAUDE_CONFIG_DIR=" + directory_ + (with_foreign ? "/claude" : "/none"));
  // Nothing is that old: what is measured is the look, not the printing of ten thousand warnings.
  return run_for_ms({subject_->binary(), "team", "cleanup", "--dry-run", "--older-than", "36500d"}, environment);
}

Result<double> TeamScan::jq_ms(const std::string& filter, const std::string& places) const {
  const std::string command =
      fmt::format("cd '{}' && find {} -name '*.json' -print0 | xargs -0 jq -r '{}'", directory_, places, filter);
  return run_for_ms({"/bin/sh", "-c", command}, {"PATH=/usr/local/bin:/usr/bin:/bin"});
}

Result<void> TeamScan::measure(Report& report) {
  TRY_VOID(subject_->ensure_hub());
  report.add(kOwnTeams, kTeamster, "ms", TRY(scan_ms(false)));
  report.add(kOwnTeams, kJq, "ms", TRY(jq_ms("[.team, .owner.pid, .owner.start_ticks] | @tsv", "own")));
  fs::remove(directory_ + "/home/claude-teams");
  report.add(kForeignTeams, kTeamster, "ms", TRY(scan_ms(true)));
  report.add(kForeignTeamsAgain, kTeamster, "ms", TRY(scan_ms(true)));
  const double jq =
      TRY(jq_ms("[.name, .leadProcess.pid, .leadProcess.procStart, .status] | @tsv", "claude/teams claude/tasks"));
  report.add(kForeignTeams, kJq, "ms", jq);
  report.add(kForeignTeamsAgain, kJq, "ms", jq);
  return {};
}

}  // namespace teamster::bench
