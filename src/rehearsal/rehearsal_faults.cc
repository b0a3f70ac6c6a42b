#include "rehearsal/rehearsal_faults.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSlowFor = 1s;

Result<Fault::What> what_of(const std::string& word) {
  if (word == "crash") return Fault::What::crash;
  if (word == "mute") return Fault::What::mute;
  if (word == "slow") return Fault::What::slow;
  if (word == "garbage") return Fault::What::garbage;
  if (word == "kill") return Fault::What::kill;
  return fail(Code::invalid, fmt::format("{} is no fault", quoted(word, 40)),
              "Faults are crash, mute, slow, garbage and kill, as in 'crash builder@fix.1'");
}

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

}  // namespace

Result<Fault> Fault::parse(const std::string& text) {
  const std::size_t space = text.find(' ');
  const std::size_t at = text.find('@');
  if (space == std::string::npos || at == std::string::npos || at < space + 2 || at + 1 == text.size())
    return fail(Code::invalid, fmt::format("{} is not FAULT WHO@WHERE", quoted(text, 100)),
                "For example 'crash builder@fix.1' or 'kill engine@step.done:verify.1:after'");
  Fault fault;
  fault.what = TRY(what_of(text.substr(0, space)));
  fault.whom = text.substr(space + 1, at - space - 1);
  fault.where = text.substr(at + 1);
  const bool is_point = fault.where.ends_with(":before") || fault.where.ends_with(":after");
  if ((fault.what == What::kill) != is_point)
    return fail(Code::invalid,
                is_point ? "only kill strikes at a point of the journal" : "kill strikes at a point of the journal",
                "For example 'kill engine@step.done:verify.1:after'");
  return fault;
}

RehearsalFaults::RehearsalFaults(std::vector<Fault> faults, env::Loop& loop, Surroundings around)
    : faults_(std::move(faults)), loop_(loop), around_(std::move(around)) {}

void RehearsalFaults::at_point(const engine::Point& point) {
  const std::string here = point.text();
  for (auto it = faults_.begin(); it != faults_.end();) {
    if (it->what != Fault::What::kill || it->where != here) {
      ++it;
      continue;
    }
    const Fault fault = *it;
    it = faults_.erase(it);
    strike(fault, around_.pid_of(fault.whom));
  }
}

void RehearsalFaults::at_turn(const std::string& member, const std::string& step, std::int64_t pid) {
  const auto found = std::find_if(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return fault.what != Fault::What::kill && fault.whom == member && is_turn(fault.where, step);
  });
  if (found == faults_.end()) return;
  const Fault fault = *found;
  faults_.erase(found);
  strike(fault, pid);
}

void RehearsalFaults::strike(const Fault& fault, std::int64_t pid) {
  around_.say(pid > 1 ? fmt::format("fault: {} is struck at {}", fault.whom, fault.where)
                      : fmt::format("fault: there is no {} at {}", fault.whom, fault.where));
  switch (fault.what) {
    case Fault::What::kill:
    case Fault::What::crash:
      return signal_process(pid, SIGKILL);
    case Fault::What::mute:
      return signal_process(pid, SIGSTOP);
    case Fault::What::garbage:
      return garble(pid);
    case Fault::What::slow:
      signal_process(pid, SIGSTOP);
      timers_.push_back(loop_.after(kSlowFor, [pid] { signal_process(pid, SIGCONT); }));
      return;
  }
}

}  // namespace teamster::cli
