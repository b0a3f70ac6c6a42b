// Reach: whom a workflow can still ask from a phase on, by whichever way: those of the phases, the order of the list,
// loops that are spent, an owner who accepts, merges, and the advisors of ladders. What cannot be known is taken for
// possible, so nobody is left out who may be asked. Pure functions on values.
#pragma once

#include <set>
#include <string>

#include "workflow/core/words.h"

namespace teamster::workflow {

struct Reach {
  std::set<std::string> roles;      // whose member works by the role's own name
  std::set<std::string> for_items;  // whose members are ROLE-1, ROLE-2, …

  bool has(const std::string& member, const std::string& role) const {
    return (member == role ? roles : for_items).count(role) != 0;
  }
};

// From this phase on, itself included.
Reach reach_from(const Pinned& pinned, const RunState& state, const Phase& phase);

}  // namespace teamster::workflow
