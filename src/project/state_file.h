// Files that other tools, or teamster itself, have left as the state of some work, and which run goes on with
// it: the index of a workflow's ledger, wherever the workflow puts it. Pure but for who reads the workflows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"
#include "project/workflow_place.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// What `teamster run` is to be called with.
struct StateOwner {
  std::string workflow;
  Json arguments;  // by their names
};

// The arguments, by name, with which the workflow's ledger keeps its index in this file, from the project's directory
// on; nullopt when it cannot be.
std::optional<Json> arguments_for_ledger(const workflow::Workflow& workflow, const std::string& path);

// Code::not_found when there is no such file, Code::refused for a state that this version knows and cannot go on
// with, Code::invalid for anything else.
Result<StateOwner> owner_of_state(env::Files& files, const cli::WorkflowPlaces& places, const std::string& file);

}  // namespace teamster::engine
