// Engine: durable steps per second of runs whose steps cost nothing, beside the bare batch server and
// the disk's own syncs; how long it takes to go on with a run that has a long journal, with and
// without a snapshot, beside a raw scan of its records; and what many runs cost in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/report.h"
#include "bench/workers.h"

namespace teamster::bench {

class TeamsterSubject;

std::string steps_measure(int runs);
inline constexpr const char* kDisk = "disk: write + fdatasync";
inline constexpr const char* kRawScan = "raw scan of the records";
inline constexpr const char* kResume = "resume of a long run";
inline constexpr const char* kResumeFromSnapshot = "resume of a long run, with a snapshot";

// A worker that drives one run after another; an operation is a step.
Prepare step_taker(TeamsterSubject& subject);
// A worker that writes and syncs a small record in `directory`, as fast as the disk can.
Prepare disk_syncer(const std::string& directory);

// A run with a long journal. Made once; measured in every round.
class LongRun {
 public:
  static Result<std::unique_ptr<LongRun>> make(TeamsterSubject& subject, const std::string& scratch,
                                               std::int64_t records);
  // Milliseconds.
  Result<double> scan();
  Result<double> resume(bool with_snapshot);

 private:
  LongRun(TeamsterSubject& subject, std::string scratch) : subject_(subject), scratch_(std::move(scratch)) {}
  Result<void> write(std::int64_t records);
  Result<void> keep_copy();

  TeamsterSubject& subject_;
  const std::string scratch_;
  std::string run_;
  std::int64_t last_n_ = 0;
  std::string snapshot_;  // the file's text
};

// Resident bytes of a process that drives this many runs, each waiting in a step. The process is this program,
// started again, so its main calls the second first, which then does not return.
Result<double> memory_of_runs(TeamsterSubject& subject, const std::string& scratch, int runs);
void host_runs_if_asked(int argc, char** argv);

}  // namespace teamster::bench
