#include "interop/claude_tasks.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/text.h"
#include "interop/claude_facts.h"

namespace teamster::interop {
namespace {

constexpr std::string_view kEnd = ".json";

tl::unexpected<Error> broken(const std::string& path, const std::string& what) {
  return fail(Code::invalid, fmt::format("{}: {}", path, what),
              "Mend the file or move it away; nothing has been imported");
}

// As a number or as a text.
std::string id_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>()) : std::string();
}

Result<std::vector<std::string>> ids_in(const Json& task, const char* field, const std::string& path) {
  std::vector<std::string> ids;
  const Json& list = field_in(task, field);
  if (list.is_null()) return ids;
  if (!list.is_array()) return broken(path, fmt::format("'{}' is no list of tasks", field));
  for (const auto& each : list) {
    if (id_text(each).empty()) return broken(path, fmt::format("'{}' is no list of tasks", field));
    ids.push_back(id_text(each));
  }
  return ids;
}

struct ReadTask {
  ClaudeTask task;
  std::vector<std::string> blocks;
  bool is_deleted = false;
};

Result<ReadTask> read_task(const Json& json, const std::string& path, const std::string& name) {
  if (!json.is_object()) return broken(path, "it is no JSON object");
  ReadTask read;
  ClaudeTask& task = read.task;
  task.id = json.contains("id") ? id_text(json.at("id")) : name;
  if (task.id.empty()) return broken(path, "'id' is neither a text nor a number");
  task.subject = raw_text_in(json, "subject");
  if (trimmed(task.subject).empty()) return broken(path, "it has no 'subject'");
  task.description = raw_text_in(json, "description");
  const std::string status = raw_text_in(json, "status");
  const bool is_known = status == "pending" || status == "in_progress" || status == "completed" || status == "deleted";
  if (!is_known) return broken(path, fmt::format("'status' is {}, and no status that is known", quoted(status, 40)));
  task.is_completed = status == "completed";
  read.is_deleted = status == "deleted";
  task.blocked_by = TRY(ids_in(json, "blockedBy", path));
  read.blocks = TRY(ids_in(json, "blocks", path));
  if (json.contains("metadata") && json["metadata"].is_object()) task.metadata = json["metadata"];
  Json imported = json;
  for (const char* field : {"subject", "description"}) imported.erase(field);
  if (imported.contains("metadata") && imported["metadata"].is_object()) imported.erase("metadata");
  task.metadata["imported"] = std::move(imported);
  return read;
}

// By rounds: those whose blockers all stand before them.
Result<std::vector<ClaudeTask>> in_order_of_blockers(std::vector<ClaudeTask> tasks, const std::string& directory) {
  std::vector<ClaudeTask> ordered;
  std::set<std::string> done;
  while (!tasks.empty()) {
    const auto is_ready = [&](const ClaudeTask& task) {
      return std::all_of(task.blocked_by.begin(), task.blocked_by.end(),
                         [&](const std::string& id) { return done.count(id) != 0; });
    };
    const auto waiting = std::stable_partition(tasks.begin(), tasks.end(), is_ready);
    if (waiting == tasks.begin())
      return broken(directory,
                    fmt::format("task {} waits for itself, by the tasks that block it", quoted(tasks.front().id, 40)));
    for (auto ready = tasks.begin(); ready != waiting; ++ready) {
      done.insert(ready->id);
      ordered.push_back(std::move(*ready));
    }
    tasks.erase(tasks.begin(), waiting);
  }
  return ordered;
}

// Claude Code counts them: 10 comes after 9.
bool is_before(const std::string& a, const std::string& b) {
  return a.size() == b.size() ? a < b : a.size() < b.size();
}

}  // namespace

Result<std::vector<ClaudeTask>> read_claude_tasks(env::Files& files, const std::string& directory) {
  auto names = plain_names_in(files, directory);
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(kEnd); });
  std::sort(names.begin(), names.end(), is_before);
  std::map<std::string, std::set<std::string>> blockers;
  std::vector<ClaudeTask> tasks;
  std::set<std::string> ids;
  for (const auto& name : names) {
    const std::string path = directory + "/" + name;
    const auto json = parse_json(TRY(files.read(path, limits::kForeignFileMaxBytes)));
    if (!json) return broken(path, json.error().what);
    ReadTask read = TRY(read_task(*json, path, name.substr(0, name.size() - kEnd.size())));
    if (read.is_deleted) continue;
    if (!ids.insert(read.task.id).second)
      return broken(path, fmt::format("another file has the id {}, too", quoted(read.task.id, 40)));
    for (const auto& blocked : read.blocks) blockers[blocked].insert(read.task.id);
    blockers[read.task.id].insert(read.task.blocked_by.begin(), read.task.blocked_by.end());
    tasks.push_back(std::move(read.task));
  }
  if (tasks.empty())
    return fail(Code::not_found, fmt::format("there is no task in {}", directory),
                "Name a directory of Claude Code's tasks, as ~/.claude/tasks/my-list");
  for (auto& task : tasks) {
    task.blocked_by.clear();
    for (const auto& id : blockers[task.id])
      if (ids.count(id) != 0) task.blocked_by.push_back(id);
  }
  return in_order_of_blockers(std::move(tasks), directory);
}

}  // namespace teamster::interop
