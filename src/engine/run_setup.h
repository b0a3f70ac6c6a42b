// RunSetup: how a run was started, beside its workflow and arguments: enough for any process to take
// it up. It is in the journal with `run.started`; the workflow's files are kept in the home, so that
// a run in flight does not change when they do. Values and their files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"
#include "protocol/client/home.h"
#include "workflow/format/bundle.h"

namespace teamster::engine {

struct RunSetup {
  std::string project;                         // directory
  std::string digest;                          // of the bundle
  std::string driver;                          // of all roles, over their own; as in agent/driver_choice.h
  std::map<std::string, std::string> drivers;  // by role, over both
  std::string scripts;                         // directory with ROLE.json, of the script driver
  std::string budget = {};                     // as the user gave it, over the workflow's; see run_budget.h
  std::string parent = {};                     // of a sub-run: RUN/STEP.ATTEMPT that started it,
  std::string at_most = {};                    // and what was left of that run's budget
  std::vector<std::string> settings = {};      // NAME=VALUE each, over the project's configuration
  std::string auth = {};                       // whose login all roles use, over their own: inherit, env, file
  std::string auth_file = {};                  // of `file`: holds the key
  std::int64_t format = workflow::kFormat;     // of the bundle

  Json json() const;
  static Result<RunSetup> from_json(const Json& json);
};

std::string run_directory(const hub::Home& home, const std::string& run);
// What its members said and did, one directory a team with one file a member. It stays until the run goes.
std::string transcripts_directory(const hub::Home& home, const std::string& run);
std::string transcript_file(const hub::Home& home, const std::string& run, const std::string& team,
                            const std::string& member);
// Durable when it returns.
Result<void> save_bundle(env::Files& files, const hub::Home& home, const std::string& run,
                         const workflow::Bundle& bundle);
// Code::not_found when there is none.
Result<workflow::Bundle> read_bundle(env::Files& files, const hub::Home& home, const std::string& run);
// Refused when it is not the one with this digest.
Result<workflow::Bundle> load_bundle(env::Files& files, const hub::Home& home, const std::string& run,
                                     const std::string& digest);

}  // namespace teamster::engine
