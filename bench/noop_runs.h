// NoopRuns: runs whose steps cost nothing, driven by the real engine against the real hub: what is
// left is what the engine costs. A workflow of ten checks, and one that goes round and round to
// make a long journal. Made in the process that drives them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/hub_connection.h"
#include "engine/run.h"

namespace teamster::bench {

inline constexpr int kStepsPerRun = 10;

// The run's name has to be new.
workflow::Pinned ten_checks(const std::string& run);
// Goes on for as long as it is driven.
workflow::Pinned endless_checks(const std::string& run);
// A name that no other run of this machine has.
std::string new_run_name();

// Settles everything at once, or leaves checks open.
class NoopEffects : public engine::Effects {
 public:
  NoopEffects(env::Loop& loop, bool settles_checks) : loop_(loop), settles_checks_(settles_checks) {}

  void begin(const engine::Effect& effect, const workflow::RunState& state, Settle settle) override;
  void drop(const std::string&) override {}
  Result<void> follow(const workflow::RunState&) override { return {}; }

  // How an effect of this kind ends.
  static workflow::RunEvent outcome_of(const workflow::RunCommand& command);
  // Checks that were begun.
  std::int64_t checks() const { return checks_; }

 private:
  env::Loop& loop_;
  const bool settles_checks_;
  std::int64_t checks_ = 0;
};

// One run after another in this process.
class NoopRuns {
 public:
  explicit NoopRuns(const hub::Home& home)
      : home_(home), pinned_(ten_checks("")), hub_(home, hub::Access::operator_of_home()) {}

  // Returns when the outcome of one more step is on the disk.
  Result<void> one_step();

 private:
  Result<void> start();

  const hub::Home home_;
  workflow::Pinned pinned_;
  HubConnection hub_;
  std::unique_ptr<NoopEffects> effects_;
  std::unique_ptr<engine::Run> run_;
  std::int64_t steps_ = 0;
  std::optional<Result<void>> over_;
};

}  // namespace teamster::bench
