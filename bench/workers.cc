#include "bench/workers.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

#include "bench/shared_memory.h"

namespace teamster::bench {
namespace {

constexpr std::size_t kSamplesMax = 256 * 1024;
constexpr std::size_t kErrorMaxBytes = 512;

// What a worker leaves for the parent. Pages that are not touched cost nothing.
struct Record {
  std::uint64_t count;
  std::int64_t last_answer_ns;
  bool finished;
  char error[kErrorMaxBytes];
  std::int64_t latency_ns[kSamplesMax];
  std::int64_t number[kSamplesMax];
};

struct Start {
  std::atomic<int> ready;
  std::atomic<std::int64_t> start_ns;  // 0 until all are ready
};

Result<void> repeat(const Operation& operation, const Span& span, Start& start, Record& record) {
  start.ready.fetch_add(1);
  while (start.start_ns.load() == 0) ::usleep(200);
  const std::int64_t end_ns = start.start_ns.load() + span.time.count();
  std::int64_t before = monotonic_ns();
  while (before < end_ns && record.count < std::min<std::uint64_t>(span.operations_per_worker, kSamplesMax)) {
    const auto number = TRY(operation());
    if (!number) return {};
    const std::int64_t after = monotonic_ns();
    record.latency_ns[record.count] = after - before;
    record.number[record.count] = *number;
    record.last_answer_ns = after;
    ++record.count;
    before = after;
  }
  return {};
}

[[noreturn]] void be_worker(int worker, const Prepare& prepare, const Span& span, Start& start, Record& record) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto work = [&]() -> Result<void> {
    const Operation operation = TRY(prepare(worker));
    return repeat(operation, span, start, record);
  };
  const auto outcome = work();
  if (!outcome) std::snprintf(record.error, kErrorMaxBytes, "%s", outcome.error().text().c_str());
  record.finished = true;
  // Nothing of the parent's is ours to destroy.
  ::_exit(outcome ? 0 : 1);
}

// The children of one run. Whoever is still there at the end is killed.
class Children {
 public:
  ~Children() {
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  void add(pid_t pid) { pids_.push_back(pid); }
  bool has_ended_one() const {
    siginfo_t status{};
    return std::any_of(pids_.begin(), pids_.end(), [&](pid_t pid) {
      status.si_pid = 0;
      return ::waitid(P_PID, static_cast<id_t>(pid), &status, WEXITED | WNOHANG | WNOWAIT) == 0 && status.si_pid != 0;
    });
  }
  void wait_for_all() {
    for (const pid_t pid : pids_)
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    pids_.clear();
  }

 private:
  std::vector<pid_t> pids_;
};

Result<Measured> collect(int count, std::int64_t start_ns, Shared<Record>& records) {
  Measured measured;
  for (int worker = 0; worker < count; ++worker) {
    const Record& record = records[static_cast<std::size_t>(worker)];
    if (!record.finished) return fail(Code::failed, fmt::format("worker {} died", worker));
    if (record.error[0] != '\0') return fail(Code::failed, fmt::format("worker {}: {}", worker, record.error));
    measured.numbers.emplace_back(record.number, record.number + record.count);
    for (std::uint64_t i = 0; i < record.count; ++i)
      measured.latencies_us.push_back(static_cast<double>(record.latency_ns[i]) / 1000.0);
    if (record.count > 0)
      measured.per_second +=
          static_cast<double>(record.count) * 1e9 / static_cast<double>(record.last_answer_ns - start_ns);
  }
  std::sort(measured.latencies_us.begin(), measured.latencies_us.end());
  return measured;
}

}  // namespace

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double quantile_of(std::vector<double> values, double quantile) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1) + 0.5)];
}

double Measured::latency_us(double quantile) const { return quantile_of(latencies_us, quantile); }

Result<Measured> run_workers(int count, const Prepare& prepare, const Span& span) {
  Shared<Start> start(1);
  Shared<Record> records(static_cast<std::size_t>(count));
  Children children;
  std::fflush(nullptr);  // or each worker would carry a copy of what is not printed yet
  for (int worker = 0; worker < count; ++worker) {
    const pid_t pid = ::fork();
    if (pid < 0) return fail(Code::unavailable, "cannot start another worker process");
    if (pid == 0) be_worker(worker, prepare, span, start[0], records[static_cast<std::size_t>(worker)]);
    children.add(pid);
  }
  while (start[0].ready.load() < count && !children.has_ended_one()) ::usleep(200);
  const std::int64_t start_ns = monotonic_ns();
  start[0].start_ns.store(start_ns);
  children.wait_for_all();
  return collect(count, start_ns, records);
}

}  // namespace teamster::bench
