// Subject: something that keeps messages and hands out tasks, durably, for many processes.
// teamster is one; the others stand beside it for comparison. Owned by the benchmark;
// prepare_* run in the benchmark's process between the measured cells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/workers.h"

namespace teamster::bench {

// The same for all subjects: what an agent says in one message.
std::string message_body();
inline constexpr std::size_t kMessageBodyBytes = 200;

// What an inspection of the subject after a cell has found; both should be 0.
struct Faults {
  std::uint64_t lost = 0;            // acknowledged, but not there
  std::uint64_t double_claimed = 0;  // one task, two owners
  Faults& operator+=(const Faults& other) {
    lost += other.lost;
    double_claimed += other.double_claimed;
    return *this;
  }
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;

  // A new inbox that holds `messages` messages; the next senders send to it.
  virtual Result<void> prepare_inbox(std::uint64_t messages) = 0;
  virtual Prepare sender() = 0;
  virtual Result<Faults> inspect_messages(const Measured& measured) = 0;

  // A new task list; the next claimers claim from it.
  virtual Result<void> prepare_tasks(std::uint64_t tasks) = 0;
  virtual Prepare claimer() = 0;
  virtual Result<Faults> inspect_claims(const Measured& measured) = 0;
};

// Numbers that more than one claimer got.
std::uint64_t count_double(const Measured& measured);

}  // namespace teamster::bench
