#include "bench/targets.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "bench/engine.h"
#include "bench/mcp.h"
#include "bench/team_scan.h"
#include "bench/workers.h"

namespace teamster::bench {
namespace {

struct Key {
  std::string measure;
  std::string subject;
};

class Checker {
 public:
  explicit Checker(const Report& report) : report_(report) {}

  void ratio(const std::string& what, const Key& above, const Key& below, double bound, bool at_least) {
    const Figure* a = report_.find(above.measure, above.subject);
    const Figure* b = report_.find(below.measure, below.subject);
    if (a == nullptr || b == nullptr) return;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(a->rounds.size(), b->rounds.size()); ++i)
      if (b->rounds[i] > 0) ratios.push_back(a->rounds[i] / b->rounds[i]);
    targets_.push_back({what, quantile_of(ratios, 0.5), bound, at_least});
  }
  void add(Target target) { targets_.push_back(std::move(target)); }
  std::vector<Target> take() { return std::move(targets_); }

 private:
  const Report& report_;
  std::vector<Target> targets_;
};

}  // namespace

std::string messages_measure(int senders, std::uint64_t inbox) {
  return fmt::format("messages: {} sender{}, inbox {}", senders, senders == 1 ? "" : "s", inbox);
}

std::string claims_measure(int processes) {
  return fmt::format("claims: {} process{}", processes, processes == 1 ? "" : "es");
}

std::vector<Target> check_targets(const Report& report) {
  Checker check(report);
  const Key claims16{claims_measure(16), kTeamster};
  check.ratio("claims/s at 16 processes: teamster / shared SQLite", claims16, {claims_measure(16), kSharedSqlite}, 4,
              true);
  check.ratio("claims/s at 16 processes: teamster / limit", claims16, {claims_measure(16), kLimit}, 0.6, true);
  for (const auto& [inbox, bound] : {std::pair{1000, 8.0}, std::pair{10000, 80.0}})
    for (const char* json : {kJsonFile, kJsonFileSynced})
      check.ratio(fmt::format("messages/s, 1 sender, inbox {}: teamster / {}", inbox, json),
                  {messages_measure(1, inbox), kTeamster}, {messages_measure(1, inbox), json}, bound, true);
  for (const int senders : {1, 16, 64})
    check.ratio(fmt::format("cost of a message, {} sending: inbox 100000 / inbox 1", senders),
                {messages_measure(senders, 1), kTeamster}, {messages_measure(senders, 100'000), kTeamster}, 1.2, false);
  check.ratio("wake-up p50: teamster / sync-then-push probe", {kWakeupMedian, kTeamster}, {kWakeupMedian, kLimit}, 1.5,
              false);
  check.ratio("message to an idle member until its turn starts, p50: teamster / the hub's wake-up",
              {kTurnStartMedian, kTeamster}, {kWakeupMedian, kTeamster}, 3, false);
  check.ratio("starting children: keeper / posix_spawn loop", {kSpawns, kTeamster}, {kSpawns, kBareSpawn}, 1.5, false);
  check.ratio("200 trivial checks: teamster verify / xargs -P", {kChecks, kTeamster}, {kChecks, kXargs}, 1.5, false);
  check.ratio("10,000 teams of ours: batched jq / teamster", {kOwnTeams, kJq}, {kOwnTeams, kTeamster}, 20, true);
  check.ratio("10,000 foreign teams, first look: batched jq / teamster", {kForeignTeams, kJq},
              {kForeignTeams, kTeamster}, 2, true);
  check.ratio("10,000 foreign teams, unchanged: batched jq / teamster", {kForeignTeamsAgain, kJq},
              {kForeignTeamsAgain, kTeamster}, 10, true);
  const auto against_sdk = [&](const char* what, const char* measure, double bound, bool at_least) {
    check.ratio(fmt::format("{}: teamster mcp / TypeScript SDK echo", what), {measure, kTeamster}, {measure, kSdkEcho},
                bound, at_least);
  };
  against_sdk("MCP reading calls/s, one at a time", mcp_measure::kSerial, 1.5, true);
  against_sdk("MCP reading calls/s, 64 in flight", mcp_measure::kInFlight, 2, true);
  against_sdk("MCP processor time per call", mcp_measure::kCpu, 1.0 / 3, false);
  against_sdk("MCP start-up", mcp_measure::kStart, 1.0 / 20, false);
  against_sdk("MCP memory, idle", mcp_measure::kIdle, 1.0 / 10, false);
  against_sdk("MCP memory, after the calls", mcp_measure::kAfter, 1.0 / 10, false);
  const std::string durable = std::string(mcp_measure::kWrite) + kMedianSuffix;
  check.ratio("MCP durable send p50: teamster mcp / hub client", {durable, kTeamster}, {durable, kHubClient}, 1.5,
              false);
  check.ratio("steps/s at 16 runs: teamster / limit with 16 clients", {steps_measure(16), kTeamster},
              {steps_measure(16), kLimit}, 0.25, true);
  check.ratio("steps/s of one run / the disk's syncs", {steps_measure(1), kTeamster}, {steps_measure(1), kDisk}, 0.4,
              true);
  check.ratio("resume of a long run / raw scan of its records", {kResume, kTeamster}, {kResume, kRawScan}, 5, false);
  check.ratio("resume of a long run with a snapshot / raw scan of its records", {kResumeFromSnapshot, kTeamster},
              {kResume, kRawScan}, 0.1, false);
  if (const Figure* memory = report.find(kMemoryLoaded, kTeamster))
    check.add({"hub memory at its peak, MB", memory->most(), 20, false});
  check.add({"tasks claimed twice", static_cast<double>(report.faults().double_claimed), 0, false});
  check.add({"acknowledged writes lost", static_cast<double>(report.faults().lost), 0, false});
  return check.take();
}

}  // namespace teamster::bench
