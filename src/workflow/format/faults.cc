#include "workflow/format/faults.h"

#include <algorithm>
#include <array>

namespace teamster::workflow {
namespace {

constexpr std::array<FaultKind, 21> kKinds = {{
    {"rate_limit", "wait", "the provider says that it is asked too often"},
    {"overloaded", "wait", "the provider has too much to do"},
    {"provider", "wait", "the provider is away, or answers with an error"},
    {"login", "ask", "nobody is logged in, or the key is refused"},
    {"credit", "ask", "the account has nothing left"},
    {"model", "ask", "the provider does not know the model"},
    {"program", "ask", "the agent's program is missing, too old, or broken"},
    {"skill", "ask", "the skill of the phase or item is not there, or cannot be used"},
    {"context", "fresh", "the conversation is too long, and cannot be made shorter"},
    {"protocol", "mend", "no answer, or one that `returns` does not allow"},
    {"unusable", "mend", "the answer to another phase"},
    {"incomplete", "mend", "the answer does not hold what `pass` or `files` asks for"},
    {"check", "mend", "the `check` of the answer failed"},
    {"writes", "mend", "files were changed outside of the role's `writes`"},
    {"blocked", "ask", "the agent says that it cannot go on: something is missing, or only a person can decide"},
    {"scope", "restructure", "the work is not what the item says"},
    {"crashed", "retry", "the agent's process ended"},
    {"silent", "retry", "nothing was heard of the agent for too long"},
    {"limit", "retry", "the turn took longer than its `limit`, or the agent was at a limit of its own"},
    {"interrupted", "retry", "somebody interrupted the turn"},
    {"script", "end", "a rehearsal does not go as its script says", false},
}};

}  // namespace

std::span<const FaultKind> fault_kinds() { return kKinds; }

const FaultKind* find_fault(std::string_view name) {
  const auto* found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const FaultKind& kind) { return kind.name == name; });
  return found == kKinds.end() ? nullptr : found;
}

std::vector<std::string> settable_faults() {
  std::vector<std::string> names;
  for (const auto& kind : kKinds)
    if (kind.is_settable) names.emplace_back(kind.name);
  return names;
}

const std::vector<std::string>& settable_rungs() {
  static const std::vector<std::string> kRungs = {"retry", "mend", "fresh", "restructure", "ask"};
  return kRungs;
}

}  // namespace teamster::workflow
