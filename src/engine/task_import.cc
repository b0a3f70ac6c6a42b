#include "engine/task_import.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "protocol/client/call.h"
#include "protocol/client/task_calls.h"
#include "protocol/client/team_calls.h"

namespace teamster::engine {
namespace {

constexpr const char* kWasCompleted = "it was completed before it was imported";

template <class Call>
Result<typename Call::Answer> ask_for(const HubCall& call, Call question) {
  return hub::read_answer<Call>(call(hub::request_for(std::move(question))));
}

Result<TaskId> import_one(const HubCall& call, const std::string& team, const interop::ClaudeTask& task,
                          const std::map<std::string, TaskId>& known) {
  hub::CreateTask create{.team = team,
                         .subject = task.subject,
                         .description = task.description,
                         .blocked_by = {},
                         .metadata = task.metadata};
  for (const auto& blocker : task.blocked_by) create.blocked_by.push_back(known.at(blocker));
  if (task.is_completed) create.reserved = kWasCompleted;
  const TaskId id = TRY(ask_for(call, std::move(create))).id;
  if (task.is_completed)
    TRY_VOID(
        ask_for(call, hub::UpdateTask{.team = team, .id = id, .status = TaskStatus::completed, .is_reserved = true}));
  return id;
}

Result<void> import_all(const HubCall& call, const std::vector<interop::ClaudeTask>& tasks, ImportedTasks& imported) {
  std::map<std::string, TaskId> known;
  for (const auto& task : tasks) {
    const TaskId id = TRY(import_one(call, imported.team, task, known));
    known[task.id] = id;
    imported.tasks.push_back(id);
  }
  return {};
}

}  // namespace

Result<ImportedTasks> import_tasks(const HubCall& call, const std::string& team,
                                   const std::vector<interop::ClaudeTask>& tasks) {
  ImportedTasks imported{.team = team, .tasks = {}};
  const auto there = ask_for(call, hub::GetTeamStatus{team});
  if (!there && there.error().code != Code::not_found) return fail(there.error());
  imported.is_new_team = !there;
  if (imported.is_new_team) TRY_VOID(ask_for(call, hub::CreateTeam{.team = team}));
  const auto done = import_all(call, tasks, imported);
  if (done) return imported;
  if (imported.is_new_team) {
    (void)ask_for(call, hub::DeleteTeam{.team = team, .force = true});
    return fail(done.error().within("nothing was imported"));
  }
  return fail(done.error().within(fmt::format("{} of {} tasks were imported", imported.tasks.size(), tasks.size())));
}

}  // namespace teamster::engine
