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

// What the user and the project have set, and what of it means nothing to the workflow that it is for.
struct FoundSettings {
  Result<std::map<std::string, engine::Setting>> settings;
  std::vector<std::string> problems = {};
};
Check check_settings(const FoundSettings& found);

// 0 … 100: a warning counts half.
int score(const std::vector<Check>& checks);
// {"score":…,"checks":[{name, status, detail, next}]}
Json health_document(const std::vector<Check>& checks);

}  // namespace teamster::cli
