#include "rehearsal/rehearsal_faults.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSlowFor = 1s;

void signal_process(std::int64_t pid, int number) {
  // 0 and below mean whole groups.
  if (pid > 1) (void)::kill(static_cast<pid_t>(pid), number);
}

// A line that is no JSON, as if the agent had printed it: into its own pipe.
void garble(std::int64_t pid) {
  const std::string path = fmt::format("/proc/{}/fd/1", pid);
  const int pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0) return;
  constexpr std::string_view kGarbage = "\x01\xff this is no JSON {[\n";
  (void)!::write(pipe, kGarbage.data(), kGarbage.size());
  ::close(pipe);
}

// "fix" is the first try at it.
bool is_turn(const std::string& where, const std::string& step) { return where == step || where + ".1" == step; }

// Nobody knows the name of a run before it begins, and steps that end teams are named by it: RUN stands for it.
bool is_here(std::string where, const engine::Point& point) {
  constexpr std::string_view kRun = "RUN";
  for (std::size_t at = where.find(kRun); at != std::string::npos; at = where.find(kRun, at + point.run.size()))
    where.replace(at, kRun.size(), point.run);
  return where == point.text();
}

}  // namespace

RehearsalFaults::RehearsalFaults(const std::vector<StagedFault>& own, const FaultRecord& record, env::Loop& loop,
                                 Surroundings around)
    : record_(record), loop_(loop), around_(std::move(around)) {
  for (const auto& fault : own) waiting_.push_back({fault, waiting_.size(), false});
  const auto recorded = record_.load();
  for (std::size_t index = 0; index < recorded.size(); ++index) waiting_.push_back({recorded[index], index, true});
}

void RehearsalFaults::at_point(const engine::Point& point) {
  const auto waiting = waiting_;
  for (const auto& each : waiting)
    if (each.fault.what == StagedFault::What::kill && is_here(each.fault.where, point))
      strike_if_taken(each, around_.pid_of(each.fault.whom));
}

void RehearsalFaults::at_turn(const std::string& member, const std::string& step, std::int64_t pid) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) {
    return each.fault.what != StagedFault::What::kill && each.fault.whom == member && is_turn(each.fault.where, step);
  });
  if (found != waiting_.end()) strike_if_taken(Waiting(*found), pid);
}

bool RehearsalFaults::take(const Waiting& waiting) {
  std::erase_if(waiting_, [&](const Waiting& each) {
    return each.index == waiting.index && each.is_recorded == waiting.is_recorded;
  });
  if (!waiting.is_recorded) return true;
  const auto taken = record_.take(waiting.index);
  if (!taken) around_.say(fmt::format("fault: {} cannot be recorded: {}", waiting.fault.text(), taken.error().text()));
  return taken && *taken;
}

// It waits on while there is nobody to strike.
void RehearsalFaults::strike_if_taken(const Waiting& waiting, std::int64_t pid) {
  const StagedFault& fault = waiting.fault;
  if (pid <= 1) return around_.say(fmt::format("fault: there is no {} at {}", fault.whom, fault.where));
  if (!take(waiting)) return;
  around_.say(fmt::format("fault: {} is struck at {}", fault.whom, fault.where));
  strike(fault, pid);
}

void RehearsalFaults::strike(const StagedFault& fault, std::int64_t pid) {
  switch (fault.what) {
    case StagedFault::What::kill:
    case StagedFault::What::crash:
      return signal_process(pid, SIGKILL);
    case StagedFault::What::mute:
      return signal_process(pid, SIGSTOP);
    case StagedFault::What::garbage:
      return garble(pid);
    case StagedFault::What::slow:
      signal_process(pid, SIGSTOP);
      timers_.push_back(loop_.after(kSlowFor, [pid] { signal_process(pid, SIGCONT); }));
      return;
  }
}

}  // namespace teamster::cli
