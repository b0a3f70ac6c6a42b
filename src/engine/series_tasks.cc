#include "engine/series_tasks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/team_ref.h"
#include "protocol/client/pages.h"
#include "protocol/client/task_calls.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/addresses.h"

namespace teamster::engine {
namespace {

constexpr std::string_view kSuffix = "-all";

}  // namespace

std::string SeriesTasks::team_of(const std::string& workflow, const std::string& entry) {
  const std::string name = entry.empty() ? workflow : fmt::format("{}-{}", workflow, entry);
  return name.substr(0, limits::kNameMaxBytes - kSuffix.size()) + std::string(kSuffix);
}

Result<SeriesTasks> SeriesTasks::open(const SeriesPlace& place, const std::string& team, const std::string& project,
                                      const std::vector<SeriesItem>& items) {
  SeriesTasks tasks(place.call, TeamRef::of(team, project).text(), project);
  const std::string directory = place.home.path() + "/runs";
  TRY_VOID(place.files.make_private_directory(directory));
  tasks.lock_ = TRY(place.files.try_lock(fmt::format("{}/{}.lock", directory, tasks.team_)));
  if (!tasks.lock_)
    return fail(Code::refused, "another process runs all of this already",
                fmt::format("See how far it is with `teamster task list --team {}`", team));
  TRY_VOID(tasks.make_team());
  TRY_VOID(tasks.read_tasks());
  // In their order: an item comes after those it needs.
  for (const auto& item : items) {
    if (tasks.tasks_.count(item.argument) == 0) TRY_VOID(tasks.add(item));
    if (item.status == LedgerStatus::done) TRY_VOID(tasks.complete(item.argument));
  }
  return tasks;
}

Result<void> SeriesTasks::make_team() {
  const auto made = ask(hub::CreateTeam{.team = team_, .members = {kLead}, .project = project_});
  // It is there: somebody has begun before us.
  if (!made && made.error().code != Code::refused) return fail(made.error());
  return {};
}

Result<void> SeriesTasks::read_tasks() {
  const auto tasks =
      TRY(hub::read_all(hub::ListTasks{.team = team_}, [this](hub::ListTasks page) { return ask(std::move(page)); }));
  for (const auto& task : tasks) tasks_[raw_text_in(task.metadata, "item")] = {.id = task.id, .status = task.status};
  return {};
}

Result<void> SeriesTasks::add(const SeriesItem& item) {
  std::vector<TaskId> blockers;
  for (const auto& dependency : item.dependencies)
    if (const auto found = tasks_.find(dependency); found != tasks_.end()) blockers.push_back(found->second.id);
  const auto made = TRY(ask(hub::CreateTask{.team = team_,
                                            .subject = item.path,
                                            .blocked_by = std::move(blockers),
                                            .metadata = Json{{"item", item.argument}, {"project", project_}}}));
  tasks_[item.argument] = {.id = made.id};
  return {};
}

Result<void> SeriesTasks::begin(const std::string& item) {
  Task& task = tasks_.at(item);
  if (task.status == TaskStatus::completed) return {};
  if (task.status == TaskStatus::failed) TRY_VOID(update(task, TaskStatus::pending, ""));
  return claim(task);
}

// The same token as before for one that an earlier process has claimed.
Result<void> SeriesTasks::claim(Task& task) {
  const auto claimed = TRY(ask(hub::ClaimTask{.team = team_, .member = kLead, .id = task.id}));
  task.token = claimed ? claimed->token : "";
  task.status = TaskStatus::in_progress;
  return {};
}

Result<void> SeriesTasks::complete(const std::string& item) {
  Task& task = tasks_.at(item);
  if (task.status == TaskStatus::completed) return {};
  TRY_VOID(begin(item));
  return update(task, TaskStatus::completed, "");
}

Result<void> SeriesTasks::fail_with(const std::string& item, const std::string& why) {
  return update(tasks_.at(item), TaskStatus::failed, why);
}

Result<void> SeriesTasks::update(Task& task, TaskStatus status, const std::string& why) {
  TRY_VOID(ask(hub::UpdateTask{.team = team_,
                               .id = task.id,
                               .token = task.token,
                               .status = status,
                               .metadata = Json{{"why", why.empty() ? Json() : Json(why)}}}));
  task.status = status;
  task.token.clear();
  return {};
}

Result<void> SeriesTasks::close() {
  TRY_VOID(ask(hub::DeleteTeam{.team = team_, .force = true}));
  return {};
}

}  // namespace teamster::engine
