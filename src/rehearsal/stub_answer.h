// StubAnswer: what a scripted agent or a person may answer in a phase so that the run goes on: a value that the phase's
// schema allows, with all that other phases read of it, for which `pass` holds and whose way leads ahead. Best effort,
// for stubs that a person goes on with. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

struct StubAnswer {
  Json value = Json::object();
  std::vector<std::string> files = {};  // that it names, and that must be there
  std::string problem = {};             // why the schema's example is missing; empty: it is there
};

// Of an agent's turn; of `merge` that of the coordinator.
enum class StubTurn { work, merge };
StubAnswer stub_answer(const workflow::Workflow& workflow, const workflow::Bundle& bundle, const workflow::Phase& phase,
                       StubTurn turn);
// Of an ask or a gate, as people.json has it.
Json stub_reply(const workflow::Workflow& workflow, const workflow::Phase& phase);

}  // namespace teamster::cli
