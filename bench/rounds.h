// Rounds: all measurements of a plan, interleaved: every round measures every subject in
// every cell, so that what disturbs the machine for a while disturbs all of them alike.
// Owns the subjects and their scratch directory.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "bench/batch_server.h"
#include "bench/batch_server_subject.h"
#include "bench/engine.h"
#include "bench/plan.h"
#include "bench/report.h"
#include "bench/subject.h"
#include "bench/team_scan.h"
#include "bench/teamster_subject.h"

namespace teamster::bench {

class Rounds {
 public:
  struct Options {
    Plan plan;
    std::string only;  // messages, claims, wakeup, command, agents, mcp, engine, verify or teams; empty: all
    std::string binary;
    std::string scratch;  // a directory that exists and is removed by the caller
  };
  static Result<std::unique_ptr<Rounds>> prepare(const Options& options);

  Result<void> run(Report& report);

 private:
  Rounds(Options options, BatchServer server) : options_(std::move(options)), server_(std::move(server)) {}
  bool wants(const char* what) const { return options_.only.empty() || options_.only == what; }
  Result<void> measure_messages(Report& report);
  Result<void> measure_message_cell(Subject& subject, int senders, std::uint64_t inbox, Report& report);
  Result<void> measure_claims(Report& report);
  Result<void> measure_wakeups(Report& report);
  Result<void> measure_commands(Report& report);
  Result<void> measure_agents(Report& report);
  Result<void> measure_mcp_calls(Report& report);
  Result<void> measure_engine(Report& report);
  Result<void> measure_long_run(Report& report);
  Result<void> measure_verify(Report& report);
  Result<void> measure_team_scan(Report& report);

  Options options_;
  BatchServer server_;
  std::unique_ptr<TeamsterSubject> teamster_;
  std::unique_ptr<Subject> json_;
  std::unique_ptr<Subject> json_synced_;
  std::unique_ptr<Subject> sqlite_;
  std::unique_ptr<BatchServerSubject> limit_;
  std::unique_ptr<TeamsterSubject> engine_home_;  // with a hub of its own: a long journal is in it
  std::unique_ptr<LongRun> long_run_;
  std::unique_ptr<TeamScan> team_scan_;
};

}  // namespace teamster::bench
