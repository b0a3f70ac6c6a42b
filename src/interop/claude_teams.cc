#include "interop/claude_teams.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/process_identity.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/processes.h"

namespace teamster::interop {
namespace {

constexpr std::string_view kSessionPrefix = "session-";
constexpr std::size_t kSessionDigits = 8;

// Teams that Claude Code names itself: after the first digits of the lead's session.
bool is_session_name(const std::string& name) {
  return name.size() == kSessionPrefix.size() + kSessionDigits && name.starts_with(kSessionPrefix) &&
         name.find_first_not_of("0123456789abcdef", kSessionPrefix.size()) == name.npos;
}

// Names are used as parts of paths.
bool is_plain(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos &&
         name.size() <= limits::kFileNameMaxBytes;
}

Json read_object(env::Files& files, const std::string& path) {
  const auto text = files.read(path, limits::kForeignFileMaxBytes);
  if (!text) return Json::object();
  auto json = parse_json(*text);
  return json && json->is_object() ? *std::move(json) : Json::object();
}

std::int64_t pid_of(const std::string& file) {
  std::int64_t pid = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), pid);
  return error == std::errc() && std::string_view(end) == ".json" ? pid : 0;
}

std::vector<std::string> split_at_zeros(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// "vm#pid:[4026531836]": a pid of another namespace says nothing here.
bool is_elsewhere(const std::string& pid_space, const ProcessIdentity& here) {
  const std::size_t hash = pid_space.rfind('#');
  if (hash == pid_space.npos) return false;
  return pid_space.substr(hash + 1) != fmt::format("pid:[{}]", here.pid_namespace);
}

// A number, or the text of one.
std::string number_text_in(const Json& object, std::string_view field) {
  const Json& value = field_in(object, field);
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>()) : raw_text_in(object, field);
}

}  // namespace

ClaudeTeams::ClaudeTeams(const env::World& world, std::string directory)
    : world_(world), directory_(std::move(directory)) {}

std::string ClaudeTeams::find_directory(const std::function<std::optional<std::string>(const char* name)>& variable) {
  if (const auto own = variable("CLAUDE_CONFIG_DIR"); own && !own->empty()) return *own;
  const auto home = variable("HOME");
  return home && !home->empty() ? *home + "/.claude" : std::string();
}

std::vector<std::string> ClaudeTeams::names_in(const std::string& directory) const {
  auto names = world_.files.list(directory);
  if (!names) return {};
  std::erase_if(*names, [](const std::string& name) { return !is_plain(name); });
  return *std::move(names);
}

std::vector<ClaudeTeam> ClaudeTeams::list() const {
  if (directory_.empty()) return {};
  std::set<std::string> names;
  for (auto& name : names_in(directory_ + "/teams")) names.insert(std::move(name));
  // Other task lists need no team: they are somebody's on purpose.
  for (auto& name : names_in(directory_ + "/tasks"))
    if (is_session_name(name)) names.insert(std::move(name));
  std::vector<ClaudeTeam> teams;
  if (names.empty()) return teams;
  const auto sessions = living_sessions();
  for (const auto& name : names)
    if (auto team = look_at(name, sessions)) teams.push_back(*std::move(team));
  return teams;
}

Result<void> ClaudeTeams::remove(const std::string& name) const {
  const auto team = is_plain(name) ? look_at(name, living_sessions()) : std::nullopt;
  if (!team) return fail(Code::not_found, fmt::format("Claude Code has no team {}", name));
  if (!team->is_orphan)
    return fail(Code::refused, fmt::format("Claude Code's team {} is no orphan: {}", name, team->reason));
  for (const auto& place : team->places) TRY_VOID(world_.files.remove_tree(place));
  return {};
}

std::vector<ClaudeTeams::Session> ClaudeTeams::living_sessions() const {
  std::vector<Session> sessions;
  for (const auto& file : names_in(directory_ + "/sessions")) {
    const std::int64_t pid = pid_of(file);
    if (pid <= 0 || !world_.processes.identify(pid)) continue;
    const Json session = read_object(world_.files, directory_ + "/sessions/" + file);
    const auto words = world_.files.read(fmt::format("/proc/{}/cmdline", pid), limits::kForeignFileMaxBytes);
    sessions.push_back(
        {pid, raw_text_in(session, "sessionId"), words ? split_at_zeros(*words) : std::vector<std::string>()});
  }
  return sessions;
}

std::optional<ClaudeTeam> ClaudeTeams::look_at(const std::string& name, const std::vector<Session>& sessions) const {
  ClaudeTeam team{.name = name, .places = {}, .members = {}, .tasks = {}, .changed = {}, .reason = {}};
  const std::string place = directory_ + "/teams/" + name;
  const std::string tasks = directory_ + "/tasks/" + name;
  for (const auto& each : {place, tasks}) {
    const auto status = world_.files.status(each);
    if (status && *status && (*status)->is_directory) team.places.push_back(each);
  }
  if (team.places.empty()) return std::nullopt;
  for (const auto& path : {place, place + "/config.json", place + "/inboxes", tasks}) note_change(team, path);
  for (const auto& file : names_in(place + "/inboxes")) note_change(team, place + "/inboxes/" + file);
  count_tasks(team, tasks);
  const Json config = read_object(world_.files, place + "/config.json");
  for (const auto& member : list_in(config, "members")) team.members.push_back(raw_text_in(member, "name"));
  team.reason = who_lives(name, config, sessions);
  const Duration age = std::chrono::milliseconds(world_.clock.wall_now().unix_ms - team.changed.unix_ms);
  if (team.reason.empty() && config.empty() && team.places.front() == place && age < limits::kForeignTeamYoung)
    team.reason = "it may be just being made";
  team.is_orphan = team.reason.empty();
  if (team.is_orphan) team.reason = "no session of Claude Code that belongs to it lives";
  return team;
}

void ClaudeTeams::count_tasks(ClaudeTeam& team, const std::string& directory) const {
  for (const auto& file : names_in(directory)) {
    if (!file.ends_with(".json")) continue;
    note_change(team, directory + "/" + file);
    const std::string status = raw_text_in(read_object(world_.files, directory + "/" + file), "status");
    if (status == "pending") ++team.tasks.pending;
    if (status == "in_progress") ++team.tasks.in_progress;
    if (status == "completed") ++team.tasks.completed;
  }
}

void ClaudeTeams::note_change(ClaudeTeam& team, const std::string& path) const {
  const auto status = world_.files.status(path);
  if (status && *status) team.changed.unix_ms = std::max(team.changed.unix_ms, (*status)->modified_unix_ms);
}

std::string ClaudeTeams::who_lives(const std::string& name, const Json& config,
                                   const std::vector<Session>& sessions) const {
  const Json& lead = object_in(config, "leadProcess");
  if (const std::int64_t pid = number_in(lead, "pid"); pid > 0) {
    if (is_elsewhere(raw_text_in(lead, "pidSpace"), world_.processes.self()))
      return "its lead runs in another pid namespace";
    const std::string start = number_text_in(lead, "procStart");
    const auto living = world_.processes.identify(pid);
    if (living && (start.empty() || start == std::to_string(living->start_ticks)))
      return fmt::format("its lead, process {}, lives", pid);
  }
  const std::string lead_session = raw_text_in(config, "leadSessionId");
  for (const Session& session : sessions) {
    const bool leads = (!lead_session.empty() && session.id == lead_session) ||
                       (is_session_name(name) && session.id.starts_with(name.substr(kSessionPrefix.size())));
    const bool belongs = std::any_of(session.arguments.begin(), session.arguments.end(), [&](const std::string& word) {
      return word == name || word.ends_with("@" + name) || (!lead_session.empty() && word == lead_session);
    });
    if (leads || belongs) return fmt::format("process {} of it lives", session.pid);
  }
  return {};
}

}  // namespace teamster::interop
