#include "bench/rounds.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "bench/agents.h"
#include "bench/command_start.h"
#include "bench/json_file_subject.h"
#include "bench/mcp.h"
#include "bench/shared_sqlite_subject.h"
#include "bench/targets.h"
#include "bench/verify.h"
#include "bench/wakeup.h"

namespace teamster::bench {
namespace {

constexpr double kMegabyte = 1e6;
// Many processes at one larger JSON file would take minutes to show that they wait for each other.
constexpr std::uint64_t kSharedJsonInboxMax = 1000;

Result<std::string> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return fail(Code::failed, fmt::format("cannot create {}", path));
  return path;
}

bool is_json(const Subject& subject) { return subject.name().starts_with("JSON"); }

// An inbox in a file must not grow out of its level during a cell.
std::uint64_t operations_max(const Subject& subject, int senders, std::uint64_t inbox) {
  if (!is_json(subject)) return UINT64_MAX;
  return std::max<std::uint64_t>(std::max<std::uint64_t>(inbox / 10, 50) / static_cast<std::uint64_t>(senders), 1);
}

void progress(const std::string& text) { fmt::print(stderr, "{}\n", text); }

// What was written before a cell must not be written out during it.
void settle_disk() { ::sync(); }

}  // namespace

Result<std::unique_ptr<Rounds>> Rounds::prepare(const Options& options) {
  const std::string& scratch = options.scratch;
  std::unique_ptr<Rounds> rounds(new Rounds(options, TRY(BatchServer::start(scratch))));
  rounds->limit_ = std::make_unique<BatchServerSubject>(rounds->server_);
  rounds->json_ = std::make_unique<JsonFileSubject>(TRY(make_directory(scratch + "/json")), JsonFileSubject::Sync::no);
  rounds->json_synced_ =
      std::make_unique<JsonFileSubject>(TRY(make_directory(scratch + "/json-synced")), JsonFileSubject::Sync::yes);
  const std::string shared = TRY(make_directory(scratch + "/sqlite"));
  rounds->sqlite_ = TRY(SharedSqliteSubject::create(shared));
  const std::string home = TRY(make_directory(scratch + "/home"));
  rounds->teamster_ =
      TRY(TeamsterSubject::create({.binary = options.binary, .home = home, .senders_max = 64, .claimers_max = 16}));
  return rounds;
}

Result<void> Rounds::run(Report& report) {
  report.add("hub memory idle", kTeamster, "MB", static_cast<double>(teamster_->memory().resident_bytes) / kMegabyte);
  for (int round = 1; round <= options_.plan.rounds; ++round) {
    progress(fmt::format("round {} of {}", round, options_.plan.rounds));
    if (wants("messages")) TRY_VOID(measure_messages(report));
    if (wants("claims")) TRY_VOID(measure_claims(report));
    if (wants("wakeup")) TRY_VOID(measure_wakeups(report));
    if (wants("command")) TRY_VOID(measure_commands(report));
    if (wants("agents")) TRY_VOID(measure_agents(report));
    if (wants("mcp")) TRY_VOID(measure_mcp_calls(report));
    if (wants("engine")) TRY_VOID(measure_engine(report));
    if (wants("verify")) TRY_VOID(measure_verify(report));
    if (wants("teams")) TRY_VOID(measure_team_scan(report));
    report.add(kMemoryLoaded, kTeamster, "MB", static_cast<double>(teamster_->peak_memory()) / kMegabyte);
  }
  return {};
}

Result<void> Rounds::measure_message_cell(Subject& subject, int senders, std::uint64_t inbox, Report& report) {
  if (is_json(subject) && senders > 1 && inbox > kSharedJsonInboxMax) return {};
  TRY_VOID(subject.prepare_inbox(inbox));
  settle_disk();
  const Span span{options_.plan.cell_time, operations_max(subject, senders, inbox)};
  const auto measured = run_workers(senders, subject.sender(), span);
  if (!measured) return fail(measured.error().within(subject.name()));
  report.add_faults(TRY(subject.inspect_messages(*measured)));
  const std::string measure = messages_measure(senders, inbox);
  report.add(measure, subject.name(), "/s", measured->per_second);
  report.add(measure + kMedianSuffix, subject.name(), "us", measured->latency_us(0.5));
  report.add(measure + kTailSuffix, subject.name(), "us", measured->latency_us(0.99));
  return {};
}

// All inboxes of one subject one after the other: their costs are compared, and the disk drifts.
Result<void> Rounds::measure_messages(Report& report) {
  for (const int senders : options_.plan.senders)
    for (Subject* subject : std::initializer_list<Subject*>{teamster_.get(), json_.get(), json_synced_.get(),
                                                            sqlite_.get(), limit_.get()}) {
      progress(fmt::format("  messages: {} senders, {}", senders, subject->name()));
      for (const std::uint64_t inbox : options_.plan.inboxes)
        TRY_VOID(measure_message_cell(*subject, senders, inbox, report));
    }
  return {};
}

Result<void> Rounds::measure_claims(Report& report) {
  for (const int claimers : options_.plan.claimers) {
    const std::string measure = claims_measure(claimers);
    progress("  " + measure);
    for (Subject* subject : std::initializer_list<Subject*>{teamster_.get(), sqlite_.get(), limit_.get()}) {
      TRY_VOID(subject->prepare_tasks(options_.plan.tasks));
      settle_disk();
      const auto measured = run_workers(claimers, subject->claimer(), {.time = options_.plan.cell_time});
      if (!measured) return fail(measured.error().within(subject->name()));
      report.add_faults(TRY(subject->inspect_claims(*measured)));
      report.add(measure, subject->name(), "/s", measured->per_second);
      report.add(measure + kMedianSuffix, subject->name(), "us", measured->latency_us(0.5));
      report.add(measure + kTailSuffix, subject->name(), "us", measured->latency_us(0.99));
      // With one file and no queue some may starve.
      const auto fewest = std::min_element(measured->numbers.begin(), measured->numbers.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
      report.add(measure + ", fewest of one process", subject->name(), "claims", static_cast<double>(fewest->size()));
    }
  }
  return {};
}

Result<void> Rounds::measure_wakeups(Report& report) {
  progress("  wake-up");
  settle_disk();
  const auto ours = TRY(measure_wakeup(*teamster_, options_.plan.wakeups));
  const auto probe = TRY(measure_probe(server_.socket_path(), options_.plan.wakeups));
  for (const auto& [measure, quantile] : {std::pair{kWakeupMedian, 0.5}, std::pair{kWakeupTail, 0.99}}) {
    report.add(measure, kTeamster, "us", quantile_of(ours, quantile));
    report.add(measure, kLimit, "us", quantile_of(probe, quantile));
  }
  return {};
}

Result<void> Rounds::measure_mcp_calls(Report& report) {
  progress("  MCP");
  settle_disk();
  return measure_mcp(*teamster_, TEAMSTER_BUILD_DIR "/mcp_echo", options_.plan.cell_time, report);
}

Result<void> Rounds::measure_engine(Report& report) {
  progress("  engine");
  if (!engine_home_) {
    const std::string home = TRY(make_directory(options_.scratch + "/engine-home"));
    engine_home_ =
        TRY(TeamsterSubject::create({.binary = options_.binary, .home = home, .senders_max = 0, .claimers_max = 0}));
    long_run_ = TRY(LongRun::make(*engine_home_, options_.scratch, options_.plan.records));
  }
  settle_disk();
  const Span span{.time = options_.plan.cell_time};
  for (const int runs : options_.plan.runs) {
    const std::string measure = steps_measure(runs);
    const auto add = [&](const char* subject, const Measured& measured) {
      report.add(measure, subject, "/s", measured.per_second);
      report.add(measure + kMedianSuffix, subject, "us", measured.latency_us(0.5));
      report.add(measure + kTailSuffix, subject, "us", measured.latency_us(0.99));
    };
    add(kTeamster, TRY(run_workers(runs, step_taker(*engine_home_), span)));
    add(kLimit, TRY(run_workers(runs, limit_->recorder(), span)));
    if (runs == 1) add(kDisk, TRY(run_workers(1, disk_syncer(options_.scratch), span)));
  }
  return measure_long_run(report);
}

Result<void> Rounds::measure_long_run(Report& report) {
  report.add(kResume, kRawScan, "ms", TRY(long_run_->scan()));
  report.add(kResume, kTeamster, "ms", TRY(long_run_->resume(false)));
  report.add(kResumeFromSnapshot, kTeamster, "ms", TRY(long_run_->resume(true)));
  for (const int runs : {1, options_.plan.many_runs})
    report.add(fmt::format("engine memory, {} run{}", runs, runs == 1 ? "" : "s"), kTeamster, "MB",
               TRY(memory_of_runs(*engine_home_, options_.scratch, runs)) / kMegabyte);
  return {};
}

Result<void> Rounds::measure_commands(Report& report) {
  progress("  command start");
  const auto times = TRY(measure_command_start(*teamster_, options_.plan.commands));
  report.add("command start to answer p50", kTeamster, "ms", quantile_of(times.teamster_ms, 0.5));
  report.add("command start to answer p50", "/bin/true", "ms", quantile_of(times.smallest_ms, 0.5));
  report.add("command start to answer p99", kTeamster, "ms", quantile_of(times.teamster_ms, 0.99));
  report.add("command start to answer p99", "/bin/true", "ms", quantile_of(times.smallest_ms, 0.99));
  return {};
}

Result<void> Rounds::measure_verify(Report& report) {
  progress("  verify");
  const auto times = TRY(measure_checks(options_.binary, options_.scratch, options_.plan.checks));
  report.add(kChecks, kTeamster, "ms", times.teamster_ms);
  report.add(kChecks, kXargs, "ms", times.xargs_ms);
  return {};
}

Result<void> Rounds::measure_team_scan(Report& report) {
  progress("  teams");
  if (!team_scan_) team_scan_ = TRY(TeamScan::make(options_.binary, options_.scratch, options_.plan.teams));
  settle_disk();
  return team_scan_->measure(report);
}

Result<void> Rounds::measure_agents(Report& report) {
  progress("  agents");
  const auto starts = TRY(measure_turn_starts(*teamster_, options_.scratch, options_.plan.turns));
  report.add(kTurnStartMedian, kTeamster, "us", quantile_of(starts, 0.5));
  report.add(kTurnStartTail, kTeamster, "us", quantile_of(starts, 0.99));
  if (options_.only == "agents") TRY_VOID(measure_wakeups(report));  // the figure is a multiple of it
  report.add(kSpawns, kTeamster, "ms", TRY(measure_kept_spawns(options_.plan.spawns)));
  report.add(kSpawns, kBareSpawn, "ms", TRY(measure_bare_spawns(options_.plan.spawns)));
  return {};
}

}  // namespace teamster::bench
