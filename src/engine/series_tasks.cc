#include "engine/series_tasks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"

namespace teamster::engine {
namespace {

constexpr const char* kLead = "lead";
constexpr std::string_view kSuffix = "-all";

}  // namespace

std::string SeriesTasks::team_of(const std::string& workflow) {
  return workflow.substr(0, limits::kNameMaxBytes - kSuffix.size()) + std::string(kSuffix);
}

Result<SeriesTasks> SeriesTasks::open(const SeriesPlace& place, const std::string& workflow, const std::string& project,
                                      const std::vector<SeriesItem>& items) {
  SeriesTasks tasks(place.call, team_of(workflow), project);
  const std::string directory = place.home.path() + "/runs";
  TRY_VOID(place.files.make_private_directory(directory));
  tasks.lock_ = TRY(place.files.try_lock(fmt::format("{}/{}.lock", directory, tasks.team_)));
  if (!tasks.lock_)
    return fail(Code::refused, fmt::format("another process runs all of {} already", workflow),
                fmt::format("See how far it is with `teamster task list --team {}`", tasks.team_));
  TRY_VOID(tasks.make_team());
  TRY_VOID(tasks.read_tasks());
  // In their order: an item comes after those it needs.
  for (const auto& item : items) {
    if (tasks.tasks_.count(item.argument) == 0) TRY_VOID(tasks.add(item));
    if (item.status == LedgerStatus::done) TRY_VOID(tasks.complete(item.argument));
  }
  return tasks;
}

Result<Json> SeriesTasks::write(std::string op, Json args) const {
  return call_({.op = std::move(op), .args = std::move(args)});
}

Result<void> SeriesTasks::make_team() {
  const auto made = write("team.create", {{"team", team_}, {"members", Json::array({kLead})}});
  // It is there: somebody has begun before us.
  if (!made && made.error().code != Code::refused) return fail(made.error());
  return {};
}

Result<void> SeriesTasks::read_tasks() {
  std::string other;
  Json args = {{"team", team_}};
  while (true) {
    const Json page = TRY(write("task.list", args));
    for (const auto& task : list_in(page, "tasks")) {
      const Json& metadata = object_in(task, "metadata");
      if (raw_text_in(metadata, "project") != project_) other = raw_text_in(metadata, "project");
      tasks_[raw_text_in(metadata, "item")] = {number_in(task, "id"), raw_text_in(task, "status"), ""};
    }
    if (field_in(page, "next").is_null()) break;
    args["after"] = page.at("next");
  }
  if (other.empty()) return {};
  return fail(Code::refused, fmt::format("the list of team {} is that of {}", team_, other),
              fmt::format("Finish that first, or remove the list with `teamster team delete {} --force`", team_));
}

Result<void> SeriesTasks::add(const SeriesItem& item) {
  Json blockers = Json::array();
  for (const auto& dependency : item.dependencies)
    if (const auto found = tasks_.find(dependency); found != tasks_.end()) blockers.push_back(found->second.id);
  Json args = {{"team", team_}, {"subject", item.path}, {"blocked_by", blockers}};
  args["metadata"] = {{"item", item.argument}, {"project", project_}};
  const Json answer = TRY(write("task.create", std::move(args)));
  tasks_[item.argument] = {number_in(object_in(answer, "task"), "id"), "pending", ""};
  return {};
}

Result<void> SeriesTasks::begin(const std::string& item) {
  Task& task = tasks_.at(item);
  if (task.status == "completed") return {};
  if (task.status == "failed") TRY_VOID(update(task, "pending", ""));
  return claim(task);
}

// The same token as before for one that an earlier process has claimed.
Result<void> SeriesTasks::claim(Task& task) {
  const Json answer = TRY(write("task.claim", {{"team", team_}, {"member", kLead}, {"id", task.id}}));
  task.token = raw_text_in(object_in(answer, "task"), "token");
  task.status = "in_progress";
  return {};
}

Result<void> SeriesTasks::complete(const std::string& item) {
  Task& task = tasks_.at(item);
  if (task.status == "completed") return {};
  TRY_VOID(begin(item));
  return update(task, "completed", "");
}

Result<void> SeriesTasks::fail_with(const std::string& item, const std::string& why) {
  return update(tasks_.at(item), "failed", why);
}

Result<void> SeriesTasks::update(Task& task, const std::string& status, const std::string& why) {
  Json args = {{"team", team_}, {"id", task.id}, {"status", status}};
  args["metadata"] = {{"why", why.empty() ? Json() : Json(why)}};
  if (!task.token.empty()) args["token"] = task.token;
  TRY_VOID(write("task.update", std::move(args)));
  task.status = status;
  task.token.clear();
  return {};
}

Result<void> SeriesTasks::close() {
  TRY_VOID(write("team.delete", {{"team", team_}, {"force", true}}));
  return {};
}

}  // namespace teamster::engine
