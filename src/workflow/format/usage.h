// How a workflow is called: its line of usage, from its declared entries, arguments and flags, and with what a run of
// it was called. Pure; for the command line's help and for errors about arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// "teamster run implement-spec SPEC"; what may be left out is in brackets. Of a workflow with entries
// "teamster run ralph research|design …".
std::string usage_line(const Workflow& workflow);
// Of one entry, "teamster run ralph research SPEC [--goal TEXT]"; null: the workflow has none.
std::string usage_line(const Workflow& workflow, const Entry* entry);

// Names that no flag of a workflow can have: those of the commands that take a workflow's flags.
const std::vector<std::string>& taken_flags();

// What a run is started with, by names.
struct NamedWords {
  std::string entry = {};  // of the workflow; empty: it has none
  Json arguments = Json::object();
  Json flags = Json::object();  // a switch is true or false; one with a value that is not there is missing

  bool operator==(const NamedWords&) const = default;
};
// "research spec='login' --no-team": for people.
std::string start_text(const Workflow& workflow, const NamedWords& words);

}  // namespace teamster::workflow
