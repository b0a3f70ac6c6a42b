// The ladder: what is tried when a step has failed, from the mildest rung: L0 the same again, L1 the same agent told
// what is missing, L2 a fresh agent, L3 another task graph by an advisor, L4 the owner. Which rung a fault begins with
// and how often each is tried is data of the workflow (format/spec.h); here is what follows from it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "workflow/core/run_state.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

enum class Rung {
  wait,         // the provider is away: for as long as it takes
  retry,        // L0
  mend,         // L1
  fresh,        // L2
  restructure,  // L3
  ask,          // L4
  end,          // nothing that anybody could do would help
};

// A ladder of which everything is said.
struct FullLadder {
  std::int64_t retry = 1;
  std::int64_t mend = 1;
  std::int64_t fresh = 1;
  std::string advisor;  // empty: nobody restructures
  std::int64_t advise_at = 2;
  Ladder::Then then = Ladder::Then::ask;
  Duration patience = std::chrono::minutes(30);
  std::map<std::string, std::string> faults;
};
// The phase's, else the role's, else the workflow's.
FullLadder ladder_of(const Workflow& workflow, const Phase& phase, const std::string& role);

// With which rung a fault begins.
Rung first_rung(const FullLadder& ladder, std::string_view fault);
// What to try now. `at_fresh`: members of the phase that are at L2, this one included.
Rung next_rung(const FullLadder& ladder, std::string_view fault, const RunTries& tries, std::int64_t at_fresh);

// How long to wait for the provider, the nth time.
std::int64_t pause_ms(std::int64_t waits);

}  // namespace teamster::workflow
