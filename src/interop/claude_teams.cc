#include "interop/claude_teams.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/limits.h"
#include "base/process_identity.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/processes.h"
#include "interop/claude_cache.h"

namespace teamster::interop {
namespace {

constexpr std::string_view kSessionPrefix = "session-";
constexpr std::size_t kSessionDigits = 8;

// Teams that Claude Code names itself: after the first digits of the lead's session.
bool is_session_name(const std::string& name) {
  return name.size() == kSessionPrefix.size() + kSessionDigits && name.starts_with(kSessionPrefix) &&
         name.find_first_not_of("0123456789abcdef", kSessionPrefix.size()) == name.npos;
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
bool is_elsewhere(const std::string& pid_space, const std::string& own) {
  const std::size_t hash = pid_space.rfind('#');
  return hash != pid_space.npos && std::string_view(pid_space).substr(hash + 1) != own;
}

// Of two sorted lists, each name once.
std::vector<std::string> names_of_both(const std::vector<std::string>& teams, const std::vector<std::string>& tasks) {
  std::vector<std::string> names;
  names.reserve(teams.size() + tasks.size());
  std::set_union(teams.begin(), teams.end(), tasks.begin(), tasks.end(), std::back_inserter(names));
  return names;
}

}  // namespace

ClaudeTeams::ClaudeTeams(const env::World& world, std::string directory, std::string cache)
    : world_(world), directory_(std::move(directory)), cache_(std::move(cache)) {}

std::string ClaudeTeams::find_directory(const std::function<std::optional<std::string>(const char* name)>& variable) {
  if (const auto own = variable("CLAUDE_CONFIG_DIR"); own && !own->empty()) return *own;
  const auto home = variable("HOME");
  return home && !home->empty() ? *home + "/.claude" : std::string();
}

std::vector<ClaudeTeam> ClaudeTeams::list() const {
  if (directory_.empty()) return {};
  // Other task lists need no team: they are somebody's on purpose.
  auto tasks = plain_names_in(world_.files, directory_ + "/tasks");
  std::erase_if(tasks, [](const std::string& name) { return !is_session_name(name); });
  const auto names = names_of_both(plain_names_in(world_.files, directory_ + "/teams"), tasks);
  std::vector<ClaudeTeam> teams;
  if (names.empty()) return teams;
  ClaudeCache cache(world_.files, cache_, directory_);
  Living living = look_around();
  const WallTime now = world_.clock.wall_now();
  teams.reserve(names.size());
  for (const auto& name : names) {
    auto facts = cache.find(name);
    if (facts && is_unchanged(world_.files, directory_, *facts)) {
      cache.keep_as_it_was(name);
    } else {
      facts = read_claude_facts(world_.files, directory_, name);
      if (facts) cache.keep(name, *facts, now);
    }
    if (facts) teams.push_back(judge(name, *facts, living));
  }
  cache.save();
  return teams;
}

Result<void> ClaudeTeams::remove(const std::string& name) const {
  const auto facts = is_plain_name(name) ? read_claude_facts(world_.files, directory_, name) : std::nullopt;
  if (!facts) return fail(Code::not_found, fmt::format("Claude Code has no team {}", name));
  Living living = look_around();
  const ClaudeTeam team = judge(name, *facts, living);
  if (!team.is_orphan)
    return fail(Code::refused, fmt::format("Claude Code's team {} is no orphan: {}", name, team.reason));
  for (const auto& place : team.places)
    if (auto removed = world_.files.remove_tree(place); !removed)
      return fail(Code::failed, fmt::format("{} was not removed: {}", place, removed.error().what),
                  "Mend what is in the way there, or remove the directory by hand");
  return {};
}

ClaudeTeams::Living ClaudeTeams::look_around() const {
  Living living;
  living.own_pid_space = fmt::format("pid:[{}]", world_.processes.self().pid_namespace);
  for (const auto& file : plain_names_in(world_.files, directory_ + "/sessions")) {
    const std::int64_t pid = pid_of(file);
    if (pid <= 0 || start_of(pid, living).empty()) continue;
    const auto text = world_.files.read(directory_ + "/sessions/" + file, limits::kForeignFileMaxBytes);
    const auto session = text ? parse_json(*text) : Result<Json>(Json());
    const auto words = world_.files.read(fmt::format("/proc/{}/cmdline", pid), limits::kForeignFileMaxBytes);
    living.sessions.push_back({pid, session ? raw_text_in(*session, "sessionId") : std::string(),
                               words ? split_at_zeros(*words) : std::vector<std::string>()});
  }
  return living;
}

std::string ClaudeTeams::start_of(std::int64_t pid, Living& living) const {
  const auto [known, is_new] = living.starts.try_emplace(pid);
  if (is_new)
    if (const auto process = world_.processes.identify(pid)) known->second = std::to_string(process->start_ticks);
  return known->second;
}

ClaudeTeam ClaudeTeams::judge(const std::string& name, const ClaudeFacts& facts, Living& living) const {
  ClaudeTeam team{.name = name,
                  .places = {},
                  .members = facts.members,
                  .tasks = facts.tasks,
                  .changed = WallTime{facts.changed_unix_ms},
                  .reason = who_lives(name, facts, living)};
  if (facts.has_directory) team.places.push_back(directory_ + "/teams/" + name);
  if (facts.has_tasks) team.places.push_back(directory_ + "/tasks/" + name);
  const Duration age = std::chrono::milliseconds(world_.clock.wall_now().unix_ms - facts.changed_unix_ms);
  const bool says_nothing = facts.config != ClaudeFacts::Config::read;
  if (team.reason.empty() && says_nothing && facts.has_directory && age < limits::kForeignTeamYoung)
    team.reason = "it may be just being made";
  team.is_orphan = team.reason.empty();
  if (team.is_orphan) team.reason = "no session of Claude Code that belongs to it lives";
  return team;
}

std::string ClaudeTeams::who_lives(const std::string& name, const ClaudeFacts& facts, Living& living) const {
  if (facts.config == ClaudeFacts::Config::hidden) return fmt::format("nobody can know: {}", facts.trouble);
  if (facts.lead_pid > 0) {
    if (is_elsewhere(facts.lead_pid_space, living.own_pid_space)) return "its lead runs in another pid namespace";
    const std::string start = start_of(facts.lead_pid, living);
    if (!start.empty() && (facts.lead_start.empty() || facts.lead_start == start))
      return fmt::format("its lead, process {}, lives", facts.lead_pid);
  }
  const std::string& lead_session = facts.lead_session;
  for (const Session& session : living.sessions) {
    const bool leads = (!lead_session.empty() && session.id == lead_session) ||
                       (is_session_name(name) && session.id.starts_with(name.substr(kSessionPrefix.size())));
    const bool belongs = std::any_of(session.arguments.begin(), session.arguments.end(), [&](const std::string& word) {
      return word == name || word.ends_with("@" + name) || (!lead_session.empty() && word == lead_session);
    });
    if (leads || belongs) return fmt::format("process {} of it lives", session.pid);
  }
  // Whose it is stood in a configuration that cannot be understood any more.
  if (facts.config == ClaudeFacts::Config::broken && !living.sessions.empty())
    return fmt::format("its configuration is no JSON, and process {} of Claude Code lives",
                       living.sessions.front().pid);
  return {};
}

}  // namespace teamster::interop
