#include "workflow/core/ladder.h"

#include <algorithm>
#include <utility>

#include "workflow/format/faults.h"

namespace teamster::workflow {
namespace {

constexpr std::int64_t kFirstPauseMs = 10'000;
constexpr std::int64_t kLongestPauseMs = 300'000;

Rung rung_of(std::string_view word) {
  if (word == "mend") return Rung::mend;
  if (word == "fresh") return Rung::fresh;
  if (word == "restructure") return Rung::restructure;
  if (word == "ask") return Rung::ask;
  if (word == "wait") return Rung::wait;
  if (word == "end") return Rung::end;
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
  const FaultKind* known = find_fault(fault);
  return known == nullptr ? Rung::retry : rung_of(known->rung);
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
