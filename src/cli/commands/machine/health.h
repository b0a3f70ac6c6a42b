// Health: what `teamster doctor` finds. Each function judges facts that somebody else
// gathered, so that all outcomes can be tested without a sick machine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/commands/agent/installed_agents.h"
#include "env/files.h"
#include "project/settings.h"
#include "protocol/client/hub_calls.h"
#include "protocol/client/run_calls.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli {

struct Check {
  enum class Status { ok, warn, fail };

  std::string name;
  Status status = Status::ok;
  std::string detail;
  std::string next = {};  // what the user can do
};

std::string_view to_string(Check::Status status);

Check check_kernel(const Result<std::string>& release);
Check check_home(const std::string& path, const Result<std::optional<env::FileStatus>>& status, std::uint32_t uid);
Check check_cookie(const std::string& path, const Result<std::optional<env::FileStatus>>& status);
Check check_file_system(const std::string& path, const Result<std::string>& name);
Check check_disk(const std::string& path, const Result<std::uint64_t>& free_bytes);
// `log` is the hub's own, of which the last lines are shown when it does not answer.
Check check_hub(const Result<hub::HubStatus>& status, std::string_view own_version, std::string_view log);
Check check_store(const Result<hub::CheckStore::Answer>& checked);
Check check_orphans(const Result<std::vector<hub::Orphan>>& orphans);
// Answers of `run.get`, oldest first: those that nobody drives, and those that were blocked and not tried again.
Check check_runs(const Result<std::vector<hub::GetRun::Answer>>& runs);

// The workflow of a run, as it was when the run started.
struct PinnedWorkflow {
  std::string run;
  bool has_ended = false;
  Result<void> readable;
};
Check check_pinned(const std::vector<PinnedWorkflow>& pinned);

// Something in the home, and whose it is.
struct OwnedFile {
  std::string path;
  std::uint32_t owner_uid = 0;
};
Check check_owners(const std::string& home, const Result<std::vector<OwnedFile>>& files, std::uint32_t uid);
Check check_agents(const std::vector<InstalledDriver>& drivers);

// A member whose agent lives and whose last turn came to no good end.
struct FailingMember {
  std::string team;
  std::string member;
  std::string trouble;
};
Check check_members(const std::vector<FailingMember>& failing);

// A worktree of the repository at hand that an agent has locked, and whether that agent is gone.
struct LockedWorktree {
  std::string path;
  std::string reason;
  bool is_holder_gone = false;
};
Check check_worktrees(const std::vector<LockedWorktree>& locked);
// The process that a lock names: "… (pid 4711 …)"; 0: none.
std::int64_t pid_in_lock(std::string_view reason);
// What the user and the project have set, and what of it means nothing to the workflow that it is for.
struct FoundSettings {
  Result<std::map<std::string, engine::Setting>> settings;
  std::vector<std::string> problems = {};
};
Check check_settings(const FoundSettings& found);

// A server of tools that the project offers its agents (.mcp.json).
struct ToolServer {
  std::string name;
  std::string command;   // empty: it is reached otherwise
  bool is_there = true;  // its program
};
// The servers in the text of .mcp.json; Code::invalid when it cannot be read.
Result<std::vector<ToolServer>> tool_servers_in(const std::string& text);
// Where nothing is declared, there is nothing to be ill.
Check check_tool_servers(const Result<std::vector<ToolServer>>& servers);

// Skills that agents would be offered here, and what is wrong with any.
struct SkillHealth {
  std::size_t known = 0;
  std::vector<std::string> broken = {};    // names of those that cannot be used, or have mistakes
  std::vector<std::string> left_out = {};  // that fall out of the budget of level 1
};
Check check_skills(const SkillHealth& skills);

// 0 … 100: a warning counts half.
int score(const std::vector<Check>& checks);
// {"score":…,"checks":[{name, status, detail, next}]}
Json health_document(const std::vector<Check>& checks);

}  // namespace teamster::cli
