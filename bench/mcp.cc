#include "bench/mcp.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/hub_connection.h"
#include "bench/mcp_peer.h"
#include "bench/teamster_subject.h"

namespace teamster::bench {
namespace {

constexpr const char* kTeam = "mcp";
constexpr int kInFlight = 64;
constexpr int kStarts = 3;
constexpr double kMegabyte = 1e6;
// A just-in-time compiler needs some calls before it is what it will be.
constexpr Duration kWarmUp = std::chrono::milliseconds(300);

struct Contender {
  std::string name;
  McpPeer::Options options;
  std::string call;  // a tool that reads
};

// Where execvp would find it; empty when nowhere.
std::string program_named(const char* name) {
  for (const char* place : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    const std::string path = fmt::format("{}/{}", place, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::optional<Contender> sdk_echo(const std::string& echo, const std::vector<std::string>& environment) {
  const std::string node = program_named("node");
  const bool is_installed = ::access((echo + "/node_modules/@modelcontextprotocol/sdk").c_str(), R_OK) == 0;
  if (node.empty() || !is_installed) return std::nullopt;
  return Contender{kSdkEcho,
                   {.arguments = {node, echo + "/echo.mjs"}, .environment = environment},
                   Json{{"name", "echo"}, {"arguments", {{"text", message_body()}}}}.dump()};
}

Contender ours(const TeamsterSubject& subject) {
  return {subject.name(),
          {.arguments = {subject.binary(), "mcp", "--team", kTeam, "--member", "sender"},
           .environment = subject.environment()},
          Json{{"name", "get_task"}, {"arguments", {{"id", 1}}}}.dump()};
}

void add_latencies(Report& report, const std::string& measure, const std::string& subject,
                   const std::vector<double>& latencies_us) {
  report.add(measure + kMedianSuffix, subject, "us", quantile_of(latencies_us, 0.5));
  report.add(measure + kTailSuffix, subject, "us", quantile_of(latencies_us, 0.99));
}

Result<void> measure_reading(const Contender& contender, Duration cell_time, Report& report) {
  std::vector<double> starts_ms;
  for (int i = 1; i < kStarts; ++i) starts_ms.push_back(TRY(McpPeer::start(contender.options)).start_ms());
  McpPeer peer = TRY(McpPeer::start(contender.options));
  starts_ms.push_back(peer.start_ms());
  report.add(mcp_measure::kStart, contender.name, "ms", quantile_of(starts_ms, 0.5));
  report.add(mcp_measure::kIdle, contender.name, "MB", static_cast<double>(peer.memory().resident_bytes) / kMegabyte);
  TRY_VOID(peer.call_in_flight(contender.call, kInFlight, kWarmUp));
  const double cpu_before = peer.cpu_us();
  const McpRun serial = TRY(peer.call_serially(contender.call, cell_time));
  const McpRun parallel = TRY(peer.call_in_flight(contender.call, kInFlight, cell_time));
  const double cpu = peer.cpu_us() - cpu_before;
  report.add(mcp_measure::kSerial, contender.name, "/s", serial.per_second());
  add_latencies(report, mcp_measure::kSerial, contender.name, serial.latencies_us);
  report.add(mcp_measure::kInFlight, contender.name, "/s", parallel.per_second());
  report.add(mcp_measure::kCpu, contender.name, "us", cpu / static_cast<double>(serial.calls + parallel.calls));
  report.add(mcp_measure::kAfter, contender.name, "MB", static_cast<double>(peer.memory().resident_bytes) / kMegabyte);
  return {};
}

Result<std::vector<double>> hub_latencies(TeamsterSubject& subject, Duration time) {
  HubConnection connection(subject.home(), hub::Access::member(subject.home().token_file(kTeam, "sender")));
  const Json args = {{"to", "receiver"}, {"body", message_body()}};
  TRY_VOID(connection.call("message.send", args));  // connects
  std::vector<double> latencies_us;
  const std::int64_t start = monotonic_ns();
  for (std::int64_t before = start; before - start < time.count();) {
    TRY_VOID(connection.call("message.send", args));
    const std::int64_t after = monotonic_ns();
    latencies_us.push_back(static_cast<double>(after - before) / 1000.0);
    before = after;
  }
  return latencies_us;
}

// In turns, because the disk is not the same from one moment to the next.
Result<void> measure_writing(TeamsterSubject& subject, Duration cell_time, Report& report) {
  constexpr int kTurns = 4;
  McpPeer peer = TRY(McpPeer::start(ours(subject).options));
  const std::string send =
      Json{{"name", "send_message"}, {"arguments", {{"to", "receiver"}, {"body", message_body()}}}}.dump();
  TRY_VOID(peer.call_serially(send, cell_time / kTurns));
  std::vector<double> over_mcp;
  std::vector<double> directly;
  for (int i = 0; i < kTurns; ++i) {
    const McpRun run = TRY(peer.call_serially(send, cell_time / kTurns));
    over_mcp.insert(over_mcp.end(), run.latencies_us.begin(), run.latencies_us.end());
    const auto direct = TRY(hub_latencies(subject, cell_time / kTurns));
    directly.insert(directly.end(), direct.begin(), direct.end());
  }
  add_latencies(report, mcp_measure::kWrite, subject.name(), over_mcp);
  add_latencies(report, mcp_measure::kWrite, kHubClient, directly);
  const auto rate = [](const std::vector<double>& latencies_us) { return 1e6 / quantile_of(latencies_us, 0.5); };
  report.add(mcp_measure::kWrite, subject.name(), "/s", rate(over_mcp));
  report.add(mcp_measure::kWrite, kHubClient, "/s", rate(directly));
  return {};
}

Result<void> prepare(TeamsterSubject& subject) {
  TRY_VOID(subject.ensure_hub());
  if (::access(subject.home().token_file(kTeam, "sender").c_str(), R_OK) == 0) return {};
  TRY_VOID(subject.create_team(kTeam, {"sender", "receiver"}));
  HubConnection connection(subject.home(), hub::Access::operator_of_home());
  TRY_VOID(connection.call("task.create", {{"team", kTeam}, {"subject", "a task"}, {"description", message_body()}}));
  return {};
}

}  // namespace

Result<void> measure_mcp(TeamsterSubject& subject, const std::string& echo, Duration cell_time, Report& report) {
  TRY_VOID(prepare(subject));
  TRY_VOID(measure_reading(ours(subject), cell_time, report));
  if (const auto peer = sdk_echo(echo, subject.environment()))
    TRY_VOID(measure_reading(*peer, cell_time, report));
  else
    report.add_note(fmt::format("{}: not measured, because node or its packages are not there", kSdkEcho));
  return measure_writing(subject, cell_time, report);
}

}  // namespace teamster::bench
