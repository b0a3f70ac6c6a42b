#include "cli/commands/machine/health.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "workflow/core/run_state.h"

namespace teamster::cli {
namespace {

using Status = Check::Status;

// Landlock came with this one.
constexpr int kKernelMajor = 5;
constexpr int kKernelMinor = 13;
constexpr std::size_t kLogLinesShown = 5;
constexpr std::uint64_t kMebibyte = 1024 * 1024;

Check failed(std::string name, const Error& error) { return {std::move(name), Status::fail, error.what, error.next}; }

// Locks and shared memory do not work there as SQLite needs them.
bool is_network_file_system(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kNames{
      "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "ncp", "coda"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name == "fuse.sshfs";
}

std::string last_lines(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t start = text.size();
  for (std::size_t lines = 0; lines < kLogLinesShown && start != std::string_view::npos && start > 0; ++lines)
    start = text.rfind('\n', start - 1);
  return std::string(start == std::string_view::npos ? text : text.substr(start));
}

}  // namespace

std::string_view to_string(Status status) {
  return status == Status::ok ? "ok" : status == Status::warn ? "warn" : "fail";
}

Check check_kernel(const Result<std::string>& release) {
  if (!release) return failed("kernel", release.error());
  const std::string text(trimmed(*release));
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) != 2)
    return {"kernel", Status::warn, fmt::format("cannot tell the version from '{}'", text)};
  const bool is_enough = major > kKernelMajor || (major == kKernelMajor && minor >= kKernelMinor);
  if (is_enough) return {"kernel", Status::ok, "Linux " + text};
  return {"kernel", Status::fail, fmt::format("Linux {} is older than {}.{}", text, kKernelMajor, kKernelMinor),
          "Use a newer kernel"};
}

Check check_home(const std::string& path, const Result<std::optional<env::FileStatus>>& status, std::uint32_t uid) {
  if (!status) return failed("home", status.error());
  if (!*status) return {"home", Status::fail, path + " does not exist", fmt::format("mkdir -m 700 -p '{}'", path)};
  const env::FileStatus& found = **status;
  if (!found.is_directory)
    return {"home", Status::fail, path + " is not a directory", "Set TEAMSTER_HOME to another place"};
  if (found.owner_uid != uid)
    return {
        "home", Status::fail, fmt::format("{} belongs to user {}, not {}", path, found.owner_uid, uid),
        fmt::format("Set TEAMSTER_HOME to a place of your own, or take it: sudo chown -R \"$(id -un)\" '{}'", path)};
  if ((found.mode & 0777U) != 0700U)
    return {"home", Status::fail, fmt::format("{} has mode {:04o}, not 0700", path, found.mode & 07777U),
            fmt::format("chmod 700 '{}'", path)};
  return {"home", Status::ok, path};
}

Check check_cookie(const std::string& path, const Result<std::optional<env::FileStatus>>& status) {
  if (!status) return failed("cookie", status.error());
  if (!*status) return {"cookie", Status::fail, path + " does not exist", "Any command that reaches the hub makes it"};
  if (((*status)->mode & 0777U) != 0600U)
    return {"cookie", Status::fail, fmt::format("{} has mode {:04o}, not 0600", path, (*status)->mode & 07777U),
            fmt::format("chmod 600 '{}'", path)};
  return {"cookie", Status::ok, path};
}

Check check_file_system(const std::string& path, const Result<std::string>& name) {
  if (!name) return failed("file system", name.error());
  if (is_network_file_system(*name))
    return {"file system", Status::fail, fmt::format("{} is on {}, a network file system", path, *name),
            "Set TEAMSTER_HOME to a local disk"};
  return {"file system", Status::ok, *name};
}

Check check_disk(const std::string& path, const Result<std::uint64_t>& free_bytes) {
  if (!free_bytes) return failed("disk", free_bytes.error());
  const std::string detail = fmt::format("{} MiB free at {}", *free_bytes / kMebibyte, path);
  if (*free_bytes >= limits::kDiskFreeWarnBytes) return {"disk", Status::ok, detail};
  return {"disk", Status::warn, fmt::format("{}, less than {} MiB", detail, limits::kDiskFreeWarnBytes / kMebibyte),
          "Free some space; `teamster gc` removes what old teams left"};
}

Check check_hub(const Result<hub::HubStatus>& status, std::string_view own_version, std::string_view log) {
  if (!status) {
    Check check = failed("hub", status.error());
    if (!trimmed(log).empty())
      check.detail += "\nlast lines of its log:" + std::string("\n") + std::string(trimmed(last_lines(log)));
    return check;
  }
  const std::string version = printable_line(status->version);
  if (version != own_version)
    return {"hub", Status::warn, fmt::format("pid {} is version {}, this is {}", status->pid, version, own_version),
            "`teamster hub --stop`; the next command starts the new one"};
  return {"hub", Status::ok, fmt::format("pid {}, version {}", status->pid, version)};
}

Check check_store(const Result<hub::CheckStore::Answer>& checked) {
  if (!checked) return failed("store", checked.error());
  const std::string events = fmt::format("{} events", checked->events);
  if (checked->is_ok) return {"store", Status::ok, events};
  return {"store", Status::fail, fmt::format("{}: {}", events, joined_names(checked->problems, "no reason given")),
          "Keep a copy of the home before anything else, then report it"};
}

Check check_orphans(const Result<std::vector<hub::Orphan>>& orphans) {
  if (!orphans) return failed("orphans", orphans.error());
  std::vector<std::string> names;
  for (const auto& orphan : *orphans)
    if (orphan.age > limits::kOrphanWarnAge) names.push_back(printable_line(orphan.team));
  if (names.empty()) return {"orphans", Status::ok, "none older than " + describe_duration(limits::kOrphanWarnAge)};
  return {"orphans", Status::warn,
          fmt::format("older than {}: {}", describe_duration(limits::kOrphanWarnAge), join(names, ", ")),
          "teamster team cleanup"};
}

Check check_members(const std::vector<FailingMember>& failing) {
  if (failing.empty()) return {"members", Status::ok, "no agent is failing"};
  std::vector<std::string> lines;
  for (const auto& each : failing)
    lines.push_back(fmt::format("{} of team {} is failing: {}", printable_line(each.member), printable_line(each.team),
                                printable_line(each.trouble)));
  return {"members", Status::warn, join(lines, "\n"),
          fmt::format("teamster agent attach --team {} --member {}", printable_line(failing.front().team),
                      printable_line(failing.front().member))};
}

std::int64_t pid_in_lock(std::string_view reason) {
  constexpr std::string_view kPid = "pid";
  for (std::size_t at = reason.find(kPid); at != reason.npos; at = reason.find(kPid, at + 1)) {
    const std::size_t digits = reason.find_first_not_of(" :=#", at + kPid.size());
    if (digits == reason.npos) return 0;
    std::int64_t pid = 0;
    std::from_chars(reason.data() + digits, reason.data() + reason.size(), pid);
    if (pid > 0) return pid;
  }
  return 0;
}

Check check_worktrees(const std::vector<LockedWorktree>& locked) {
  std::vector<std::string> paths;
  for (const auto& each : locked)
    if (each.is_holder_gone)
      paths.push_back(fmt::format("{}: {}", printable_line(each.path), printable_line(each.reason)));
  if (paths.empty()) return {"worktrees", Status::ok, "none is locked by an agent that is gone"};
  const std::string first = printable_line(paths.front().substr(0, paths.front().find(": ")));
  return {"worktrees", Status::warn, "locked by an agent that is gone: " + join(paths, "\n"),
          fmt::format("git worktree unlock {0}, then git worktree remove {0}", first)};
}

Check check_runs(const Result<std::vector<hub::GetRun::Answer>>& runs) {
  if (!runs) return failed("runs", runs.error());
  std::set<std::string> under_way;
  std::vector<std::string> interrupted;
  std::map<std::string, std::string> blocked;  // the last of each thing, by what it is about
  for (const auto& [run, body] : *runs) {
    const std::string about = fmt::format("{} {}", run.workflow, run.key.value_or(""));
    blocked.erase(about);
    if (run.status == workflow::status::kBlocked) blocked[about] = run.run;
    if (run.has_ended()) continue;
    under_way.insert(run.run);
    // A sub-run goes on with the run that started it.
    const std::string parent = raw_text_in(body, "parent");
    const bool goes_with_another = under_way.count(parent.substr(0, parent.find('/'))) != 0;
    if (!run.is_driven() && !goes_with_another) interrupted.push_back(run.run);
  }
  if (interrupted.empty() && blocked.empty()) return {"runs", Status::ok, "none is interrupted or blocked"};
  Check check{"runs", Status::warn, fmt::format("{} interrupted, {} blocked", interrupted.size(), blocked.size())};
  for (const auto& run : interrupted)
    check.detail += fmt::format("\n{0}: teamster resume {0}, or teamster cancel {0}", run);
  for (const auto& [about, run] : blocked) check.detail += fmt::format("\n{0}: teamster report {0}", run);
  check.next = interrupted.empty() ? fmt::format("See why: teamster report {}", blocked.begin()->second)
                                   : fmt::format("teamster resume {}", interrupted.front());
  return check;
}

// A run under way cannot go on without it; of one that has ended it is only read to compare.
Check check_pinned(const std::vector<PinnedWorkflow>& pinned) {
  Check check{"workflows", Status::ok, fmt::format("those of {} runs are as they were pinned", pinned.size())};
  std::vector<std::string> problems;
  for (const auto& each : pinned) {
    if (each.readable) continue;
    problems.push_back(each.readable.error().what);
    if (each.has_ended) {
      if (check.status == Status::ok) check.status = Status::warn;
      if (check.next.empty()) check.next = "That run has ended and needs it no more; `teamster gc` removes it in time";
    } else if (check.status != Status::fail) {
      check.status = Status::fail;
      check.next = fmt::format("teamster cancel {}", each.run);
    }
  }
  if (!problems.empty()) check.detail = join(problems, "\n");
  return check;
}

Check check_owners(const std::string& home, const Result<std::vector<OwnedFile>>& files, std::uint32_t uid) {
  if (!files) return failed("owner", files.error());
  std::vector<std::string> others;
  for (const auto& file : *files)
    if (file.owner_uid != uid)
      others.push_back(fmt::format("{} belongs to user {}, not {}", file.path, file.owner_uid, uid));
  if (others.empty()) return {"owner", Status::ok, fmt::format("user {} owns all in {}", uid, home)};
  return {"owner", Status::fail, join(others, "\n"), fmt::format("sudo chown -R {} {}", uid, as_shell_word(home))};
}

// That none is installed is no illness; one that is there and does not run is.
Check check_agents(const std::vector<InstalledDriver>& drivers) {
  std::vector<std::string> found;
  std::vector<std::string> broken;
  std::vector<std::string> absent;
  for (const auto& [driver, installed] : drivers) {
    if (installed.problem.empty())
      found.push_back(fmt::format("{} ({})", driver->name(), installed.version));
    else
      (installed.program.empty() ? absent : broken).push_back(installed.problem);
  }
  if (!broken.empty()) return {"agents", Status::warn, join(broken, "; "), "Install it again, or take it off PATH"};
  return {"agents", Status::ok, join(found, ", ") + (absent.empty() ? "" : "; " + join(absent, "; "))};
}

Check check_settings(const FoundSettings& found) {
  Check check{"settings", Check::Status::ok, ""};
  if (!found.settings)
    return {"settings", Check::Status::fail, found.settings.error().what, "Mend the file: no run can start here"};
  for (const auto& [name, setting] : *found.settings)
    check.detail +=
        fmt::format("{}{} = {} ({})", check.detail.empty() ? "" : "\n", name, setting.value, setting.origin);
  if (check.detail.empty()) check.detail = "none";
  if (found.problems.empty()) return check;
  check.status = Check::Status::warn;
  for (const auto& problem : found.problems) check.detail += "\n" + problem;
  check.next = "Mend them: a run of that workflow is refused";
  return check;
}

Result<std::vector<ToolServer>> tool_servers_in(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error().within(".mcp.json"));
  const Json& servers = field_in(*json, "mcpServers");
  if (!servers.is_object()) return fail(Code::invalid, ".mcp.json has no object `mcpServers`", "Mend it, or remove it");
  std::vector<ToolServer> found;
  for (const auto& [name, server] : servers.items()) found.push_back({name, raw_text_in(server, "command")});
  return found;
}

Check check_tool_servers(const Result<std::vector<ToolServer>>& servers) {
  if (!servers) return {"tools", Status::warn, servers.error().what, servers.error().next};
  std::vector<std::string> names;
  std::vector<std::string> missing;
  for (const auto& server : *servers) {
    names.push_back(printable_line(server.name));
    if (!server.is_there)
      missing.push_back(fmt::format("{} ({})", printable_line(server.name), printable_line(server.command)));
  }
  if (!missing.empty())
    return {"tools", Status::warn, "servers whose program is not there: " + join(missing, ", "),
            "Install it, or take the server out of .mcp.json: a task that needs it would stand"};
  return {"tools", Status::ok, names.empty() ? "no servers are declared here" : join(names, ", ")};
}

Check check_skills(const SkillHealth& skills) {
  if (!skills.broken.empty())
    return {"skills", Status::warn, "with mistakes: " + join(skills.broken, ", "), "teamster skills validate"};
  if (!skills.left_out.empty())
    return {"skills", Status::warn, "no agent is told of: " + join(skills.left_out, ", "),
            "Shorten descriptions; `teamster skills list` shows the budget"};
  return {"skills", Status::ok, fmt::format("{} known", skills.known)};
}

int score(const std::vector<Check>& checks) {
  if (checks.empty()) return 0;
  std::size_t points = 0;
  for (const auto& check : checks) points += check.status == Status::ok ? 2 : check.status == Status::warn ? 1 : 0;
  return static_cast<int>(points * 100 / (2 * checks.size()));
}

Json health_document(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const auto& check : checks)
    list.push_back(
        {{"name", check.name}, {"status", to_string(check.status)}, {"detail", check.detail}, {"next", check.next}});
  return {{"score", score(checks)}, {"checks", std::move(list)}};
}

}  // namespace teamster::cli
