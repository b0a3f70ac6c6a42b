// Words: what the sources of a workflow say at a point of a run, and the prompts made of them.
// Pure. An input that has nothing to say and no default is an error that names it, before
// anything is sent.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "workflow/core/run_state.h"
#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// A workflow with the files its prompts and schemas are in, and the run it is used for.
struct Pinned {
  std::string run;
  Workflow workflow;
  Bundle bundle;
};

// At which point: `item` and `answer` where there is one.
struct Moment {
  const RunState& state;
  const Phase* phase = nullptr;
  const Json* item = nullptr;
  const Json* answer = nullptr;
  std::int64_t item_number = 0;
  const std::map<std::int64_t, std::string>* holders = nullptr;  // who begins which item now, beside those under way
};

// Null when there is nothing.
Json value_of(const Pinned& pinned, const Moment& moment, const Source& source);
// A field of a field, null when there is none.
Json value_at(const Json& value, const std::string& path);
// `only` of a phase or a team.
bool only_holds(const Pinned& pinned, const Moment& moment, const Condition& only);

// A short text of workflow.yaml: {{args/spec}}.
Result<std::string> short_text(const Pinned& pinned, const Moment& moment, const std::string& text);

struct PromptParts {
  bool first = false;                    // with the preamble
  std::string template_file = {};        // empty: the phase's
  Json answers = {};                     // of a coordinator: what it merges
  std::string rung = {};                 // see commands.h
  std::string why = {};                  // the last try failed; of an answer: what was asked
  std::string guidance = {};             // a person's words, fenced
  std::vector<std::string> missed = {};  // phases that another agent did in the member's place
  std::string skill = {};                // that the member works by
};
// What a member is told for a step.
Result<std::string> prompt_for(const Pinned& pinned, const Moment& moment, const PromptParts& parts);
// Whether the template of a step shows the form of the answer, by an example in a ```json block.
bool shows_form(const Pinned& pinned, const std::string& step);
// Who a member of the role is, beside what it is told in turns; empty: nothing is said.
Result<std::string> instructions_for(const Pinned& pinned, const RunState& state, const Role& role);
// What tells the answer of this phase from those of others; empty: nothing.
std::string marker_of(const Pinned& pinned, const Phase& phase);
// The inputs of a command, for its environment.
Result<std::map<std::string, std::string>> command_inputs(const Pinned& pinned, const Moment& moment,
                                                          const Inputs& inputs);
// The run's last words. Never fails: where the template cannot be filled it says why.
std::string report_of(const Pinned& pinned, const RunState& state, const std::string& status,
                      const std::string& reason);

// Where the ledger keeps an answer, from the project's root; empty without a ledger.
std::string artifact_path(const Pinned& pinned, const RunState& state, const Phase& phase, std::int64_t sequence);

}  // namespace teamster::workflow
