// Event: one thing that happened, as the journal keeps it. Kinds and bodies are a
// format: see docs/formats/store.md. A kind is added, never changed. The engine has kinds of
// its own for the records of a run.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "protocol/words/record_kinds.h"

namespace teamster::store {

struct Event {
  Seq seq;
  WallTime at;
  std::string kind;
  TeamId team;        // 0: concerns no team
  std::string actor;  // "operator", "hub", or the member's name
  Json body;
  RunId run = {};      // 0: concerns no run
  std::int64_t n = 0;  // its number among the records of the run, from 1
  // The body where it was made as text; otherwise it is dumped from `body`. What the engine
  // records of a run is text alone: no projection looks into it.
  std::string text = {};
};

}  // namespace teamster::store
