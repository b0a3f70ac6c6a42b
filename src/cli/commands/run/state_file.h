// Files that other tools, or teamster itself, have left as the state of some work, and which run goes on with
// it: the index of a workflow's ledger, wherever the workflow puts it. Pure but for who reads the workflows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/context.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

// What `teamster run` is to be called with.
struct StateOwner {
  std::string workflow;
  std::vector<std::string> words;  // its arguments
};

// The arguments with which the index of the workflow's ledger is this file, from the project's directory on; nullopt
// when it cannot be.
std::optional<std::vector<std::string>> words_for_index(const workflow::Workflow& workflow, const std::string& path);

// Code::not_found when there is no such file, Code::refused for a state that this version knows and cannot go on
// with, Code::invalid for anything else.
Result<StateOwner> owner_of_state(Context& context, const std::string& file);

}  // namespace teamster::cli
