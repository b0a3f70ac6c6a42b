// Record: what a host notes about a member it runs, in agent.json of the member's
// directory: enough to show it, and to take its conversation up again after a crash. A
// value with its file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/files.h"
#include "env/processes.h"

namespace teamster::agent {

struct Record {
  std::string driver;
  std::string model;
  std::string directory;
  env::ProcessIdentity host;
  std::int64_t agent_pid = 0;  // 0: no process runs
  std::int64_t epoch = 0;
  std::int64_t turns = 0;  // begun by any host: the number of the last one
  std::string resume_token;
  std::string conversation;     // as its host calls it; empty: the member's first
  double cost_usd = 0;          // of the conversation
  std::string state;            // starting, idle, working, failing, gone
  std::string trouble;          // of the last turn or process, for people
  std::string transcript = {};  // file of it; empty: beside this record

  // `synced`: it survives a loss of power. Otherwise nobody waits for the disk.
  Result<void> save(env::Files& files, const std::string& member_directory, bool synced) const;
  // nullopt when there is none, or none that can be read.
  static std::optional<Record> load(env::Files& files, const std::string& member_directory);
};

}  // namespace teamster::agent
