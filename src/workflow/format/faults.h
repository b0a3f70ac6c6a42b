// Faults: what can go wrong with a turn, by the names that agents and the engine give it, and with which rung of the
// ladder each begins where a workflow does not say it. The one list of them: readers, the ladder and the format page go
// by it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::workflow {

struct FaultKind {
  std::string_view name;
  std::string_view rung;  // wait, retry, mend, fresh, restructure, ask or end
  std::string_view about;
  bool is_settable = true;  // by `faults` of a ladder
};
std::span<const FaultKind> fault_kinds();
// Null when there is none of this name.
const FaultKind* find_fault(std::string_view name);
// Those that `faults` of a ladder may name.
std::vector<std::string> settable_faults();
// The rungs that they may begin with.
const std::vector<std::string>& settable_rungs();

}  // namespace teamster::workflow
