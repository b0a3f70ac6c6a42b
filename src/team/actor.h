// Actor: on whose behalf a request comes, as proven by its connection: the operator, or
// one epoch of one member. And Scene: what the rules of this module work on.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "env/processes.h"
#include "env/random.h"
#include "protocol/words/addresses.h"
#include "store/store.h"

namespace teamster::team {

struct Actor {
  bool is_operator = false;
  TeamId team;
  MemberId member;
  Epoch epoch;
  // For the journal: "operator" or the member's name.
  std::string name;
};

// Borrowed for one command, inside a transaction of the store.
struct Scene {
  store::Store& store;
  env::Random& random;
  env::Processes& processes;
  // The acting member, once `perform` has proven that its epoch lives.
  std::optional<store::MemberRow> self = std::nullopt;

  store::Projection& tables() const { return store.projection(); }
  WallTime now() const { return store.now(); }
};

}  // namespace teamster::team
