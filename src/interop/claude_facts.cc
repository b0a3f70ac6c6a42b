#include "interop/claude_facts.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/limits.h"

namespace teamster::interop {
namespace {

// A number, or the text of one.
std::string number_text_in(const Json& object, std::string_view field) {
  const Json& value = field_in(object, field);
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>()) : raw_text_in(object, field);
}

// Reads the facts of one team, and remembers what it has looked at.
class FactsReader {
 public:
  FactsReader(env::Files& files, const std::string& directory, const std::string& name)
      : files_(files), directory_(directory), team_("teams/" + name), tasks_("tasks/" + name) {}

  std::optional<ClaudeFacts> read() {
    const auto own = look_at(team_);
    const auto tasks = look_at(tasks_);
    facts_.has_directory = is_hidden_ || (own && own->is_directory);
    facts_.has_tasks = tasks && tasks->is_directory;
    if (!facts_.has_directory && !facts_.has_tasks) return std::nullopt;
    if (!is_hidden_) read_config();
    // What is put into an inbox is written under another name and renamed, so the directory tells of it.
    look_at(team_ + "/inboxes");
    count_tasks();
    return std::move(facts_);
  }

 private:
  std::optional<env::FileStatus> look_at(const std::string& path) {
    const auto status = files_.status(directory_ + "/" + path);
    if (!status && path == team_) {
      is_hidden_ = true;
      hide(status.error());
    }
    ClaudeEvidence seen{.path = path};
    if (status && *status) {
      seen = {path, true, (*status)->inode, (*status)->bytes, (*status)->modified_unix_ms};
      facts_.changed_unix_ms = std::max(facts_.changed_unix_ms, seen.modified_unix_ms);
    }
    facts_.evidence.push_back(std::move(seen));
    return status ? *status : std::nullopt;
  }

  void hide(const Error& why) {
    facts_.config = ClaudeFacts::Config::hidden;
    facts_.trouble = why.what;
  }

  void read_config() {
    const std::string path = team_ + "/config.json";
    look_at(path);
    const auto text = files_.read(directory_ + "/" + path, limits::kForeignFileMaxBytes);
    if (!text && text.error().code == Code::not_found) return;
    if (!text) return hide(text.error());
    const auto config = parse_json(*text);
    const bool is_read = config && config->is_object();
    facts_.config = is_read ? ClaudeFacts::Config::read : ClaudeFacts::Config::broken;
    if (!is_read) return;
    for (const auto& member : list_in(*config, "members")) facts_.members.push_back(raw_text_in(member, "name"));
    const Json& lead = object_in(*config, "leadProcess");
    facts_.lead_pid = number_in(lead, "pid");
    facts_.lead_start = number_text_in(lead, "procStart");
    facts_.lead_pid_space = raw_text_in(lead, "pidSpace");
    facts_.lead_session = raw_text_in(*config, "leadSessionId");
  }

  void count_tasks() {
    if (!facts_.has_tasks) return;
    for (const auto& file : plain_names_in(files_, directory_ + "/" + tasks_)) {
      if (!file.ends_with(".json")) continue;
      const std::string path = tasks_ + "/" + file;
      look_at(path);
      const auto text = files_.read(directory_ + "/" + path, limits::kForeignFileMaxBytes);
      const auto task = text ? parse_json(*text) : Result<Json>(Json());
      const std::string status = task ? raw_text_in(*task, "status") : std::string();
      if (status == "pending") ++facts_.tasks.pending;
      if (status == "in_progress") ++facts_.tasks.in_progress;
      if (status == "completed") ++facts_.tasks.completed;
    }
  }

  env::Files& files_;
  const std::string& directory_;
  const std::string team_;
  const std::string tasks_;
  bool is_hidden_ = false;  // not even its directory can be looked at
  ClaudeFacts facts_;
};

}  // namespace

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos &&
         name.size() <= limits::kFileNameMaxBytes;
}

std::vector<std::string> plain_names_in(env::Files& files, const std::string& directory) {
  auto names = files.list(directory);
  if (!names) return {};
  std::erase_if(*names, [](const std::string& name) { return !is_plain_name(name); });
  return *std::move(names);
}

std::optional<ClaudeFacts> read_claude_facts(env::Files& files, const std::string& directory, const std::string& name) {
  return FactsReader(files, directory, name).read();
}

bool is_unchanged(env::Files& files, const std::string& directory, const ClaudeFacts& facts) {
  std::string path = directory + "/";
  const std::size_t root = path.size();
  return std::all_of(facts.evidence.begin(), facts.evidence.end(), [&](const ClaudeEvidence& was) {
    path.replace(root, path.npos, was.path);
    const auto status = files.status(path);
    if (!status) return false;
    if (!*status) return !was.is_there;
    return was.is_there && (*status)->inode == was.inode && (*status)->bytes == was.bytes &&
           (*status)->modified_unix_ms == was.modified_unix_ms;
  });
}

}  // namespace teamster::interop
