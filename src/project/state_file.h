// Files that other tools, or teamster itself, have left as the state of some work, and which run goes on with it: the
// index of a workflow's ledger or the file of its `state`, wherever the workflow puts it and whatever it is called.
// Pure but for who reads the workflows and the file.
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
  std::string entry = {};                 // of the workflow
  Json arguments = Json::object();        // by their names
  std::string run = {};                   // that the file's path names; empty: none
  std::vector<std::string> lacking = {};  // arguments, or the entry, that neither the path nor the file says
  // Of a file of `state`, what its fields say beside arguments; of each only what is there.
  std::string stage = {};         // where it is, as run/phase or run/phase_number has it
  Json answers = Json::object();  // by phase
  Json people = Json::object();   // {owner, stakeholders, channel, channel_name, threads}, as the run's facts have them
  Json foreign = Json::object();  // keys that the workflow does not know
  std::string file = {};          // absolute
};

// What the path of an index of the workflow's ledger, from the project's directory on, and its contents say; nullopt
// when it cannot be one.
std::optional<StateOwner> owner_by_ledger(const workflow::Workflow& workflow, const std::string& path,
                                          const Json& contents);

// What the path and then the contents of the file of the workflow's `state` say; nullopt when it cannot be that file.
// `path` is from the project's directory on, `absolute` from the root.
std::optional<StateOwner> owner_by_state(const workflow::Workflow& workflow, const std::string& path,
                                         const std::string& absolute, const Json& contents);

// The phase at which a run goes on that was there; empty: at the first. Code::invalid when the workflow has none of
// that name, Code::refused when it is the last, after which there is nothing to do.
Result<std::string> phase_at(const workflow::Workflow& workflow, const StateOwner& owner);

// Code::not_found when there is no such file, Code::invalid when no workflow, or more than one, keeps its state there,
// or it is no JSON.
Result<StateOwner> owner_of_state(env::Files& files, const cli::WorkflowPlaces& places, const std::string& file);

}  // namespace teamster::engine
