#include "workflow/core/ladder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace teamster::workflow {
namespace {

constexpr std::int64_t kFirstPauseMs = 10'000;
constexpr std::int64_t kLongestPauseMs = 300'000;

struct FaultRung {
  std::string_view fault;
  Rung rung;
};

// Where a workflow says nothing of a fault. What is not in the list begins with L0.
constexpr std::array<FaultRung, 15> kFaults = {{
    {"rate_limit", Rung::wait},
    {"overloaded", Rung::wait},
    {"provider", Rung::wait},
    {"login", Rung::ask},
    {"credit", Rung::ask},
    {"model", Rung::ask},
    {"program", Rung::ask},    // the agent's program is missing, too old, or broken
    {"context", Rung::fresh},  // the conversation is too long, and cannot be made shorter
    {"script", Rung::end},     // a rehearsal does not go as its script says
    {"protocol", Rung::mend},  // no answer, or one of another shape
    {"unusable", Rung::mend},  // the answer to another phase
    {"incomplete", Rung::mend},
    {"check", Rung::mend},
    {"writes", Rung::mend},
    {"scope", Rung::restructure},
}};

Rung rung_of(std::string_view word) {
  if (word == "mend") return Rung::mend;
  if (word == "fresh") return Rung::fresh;
  if (word == "restructure") return Rung::restructure;
  if (word == "ask") return Rung::ask;
  return Rung::retry;
}

template <class Value, class Into>
void take(const std::optional<Value>& said, Into& into) {
  if (said) into = *said;
}

}  // namespace

FullLadder ladder_of(const Workflow& workflow, const Phase& phase, const std::string& role) {
  FullLadder full;
  const auto add = [&](const Ladder& ladder) {
    take(ladder.retry, full.retry);
    take(ladder.mend, full.mend);
    take(ladder.fresh, full.fresh);
    take(ladder.advisor, full.advisor);
    take(ladder.advise_at, full.advise_at);
    take(ladder.then, full.then);
    take(ladder.patience, full.patience);
    for (const auto& [fault, rung] : ladder.faults) full.faults[fault] = rung;
  };
  add(workflow.ladder);
  if (const auto found = workflow.roles.find(role); found != workflow.roles.end()) add(found->second.ladder);
  add(phase.ladder);
  return full;
}

Rung first_rung(const FullLadder& ladder, std::string_view fault) {
  const auto said = ladder.faults.find(std::string(fault));
  if (said != ladder.faults.end()) return rung_of(said->second);
  const auto* known =
      std::find_if(kFaults.begin(), kFaults.end(), [&](const FaultRung& each) { return each.fault == fault; });
  return known == kFaults.end() ? Rung::retry : known->rung;
}

Rung next_rung(const FullLadder& ladder, std::string_view fault, const RunTries& tries, std::int64_t at_fresh) {
  const Rung first = first_rung(ladder, fault);
  if (first == Rung::wait || first == Rung::ask || first == Rung::end) return first;
  if (first == Rung::retry && tries.retries < ladder.retry && tries.fresh == 0) return Rung::retry;
  if (first == Rung::mend && tries.mends < ladder.mend && tries.fresh == 0) return Rung::mend;
  const bool has_advisor = !ladder.advisor.empty();
  if (first == Rung::restructure && has_advisor) return Rung::restructure;
  // Where several are in trouble at once it is the graph that is wrong, not each of them.
  if (has_advisor && at_fresh >= ladder.advise_at) return Rung::restructure;
  return tries.fresh < ladder.fresh ? Rung::fresh : Rung::ask;
}

std::int64_t pause_ms(std::int64_t waits) {
  return waits >= 5 ? kLongestPauseMs : std::min(kLongestPauseMs, kFirstPauseMs << waits);
}

}  // namespace teamster::workflow
