#include "protocol/client/task_calls.h"

#include <fmt/format.h>

#include "base/text.h"
#include "protocol/client/call_fields.h"

namespace teamster::hub {
namespace {

void put_status(Json& args, std::optional<TaskStatus> status) {
  if (status) args["status"] = to_string(*status);
}

Result<Task> read_task_of(const Json& answer) { return Task::read(field_in(answer, "task")); }

}  // namespace

Result<Task> Task::read(const Json& task) {
  Task out;
  out.id = TaskId(TRY(integer_field(task, "id")));
  const std::string status = TRY(string_field(task, "status"));
  const auto known = task_status_from_string(status);
  if (!known) return fail(Code::internal, fmt::format("{} is not the status of a task", quoted(status, 80)));
  out.status = *known;
  out.team = raw_text_in(task, "team");
  out.subject = raw_text_in(task, "subject");
  out.description = raw_text_in(task, "description");
  out.owner = optional_text_in(task, "owner");
  out.reserved = optional_text_in(task, "reserved");
  out.blocks = ids_in<TaskId>(task, "blocks");
  out.blocked_by = ids_in<TaskId>(task, "blocked_by");
  out.waiting_for = ids_in<TaskId>(task, "waiting_for");
  out.metadata = object_in(task, "metadata");
  out.created = time_in(task, "created");
  out.updated = time_in(task, "updated");
  out.token = raw_text_in(task, "token");
  return out;
}

Json CreateTask::arguments() && {
  Json args = {{"subject", std::move(subject)}};
  put_name(args, "team", std::move(team));
  put(args, "description", std::move(description));
  put(args, "metadata", std::move(metadata));
  // A reserved task is asked for under a key that outlives this program: its words are those of every version.
  if (!blocked_by.empty() || reserved) args["blocked_by"] = numbers_of(blocked_by);
  put(args, "reserved", std::move(reserved));
  return args;
}

Result<Task> CreateTask::read(const Json& answer) { return read_task_of(answer); }

Json ListTasks::arguments() && {
  Json args = Json::object();
  put_name(args, "team", std::move(team));
  put_status(args, status);
  put_name(args, "owner", std::move(owner));
  put_after(args, after);
  put(args, "limit", limit);
  return args;
}

Result<ListTasks::Answer> ListTasks::read(const Json& answer) {
  Answer page;
  for (const auto& item : list_in(answer, kItems)) page.items.push_back(TRY(Task::read(item)));
  page.next = next_in(answer);
  return page;
}

Json GetTask::arguments() && {
  Json args = {{"id", id.value}};
  put_name(args, "team", std::move(team));
  return args;
}

Result<Task> GetTask::read(const Json& answer) { return read_task_of(answer); }

Json ClaimTask::arguments() && {
  Json args = Json::object();
  put_name(args, "team", std::move(team));
  put_name(args, "member", std::move(member));
  put(args, "id", id);
  put_flag(args, "reserved", is_reserved);
  return args;
}

Result<ClaimTask::Answer> ClaimTask::read(const Json& answer) {
  if (field_in(answer, "task").is_null()) return Answer();
  return Answer(TRY(read_task_of(answer)));
}

Json UpdateTask::arguments() && {
  Json args = {{"id", id.value}};
  put_name(args, "team", std::move(team));
  put_name(args, "member", std::move(member));
  put_name(args, "token", std::move(token));
  put_status(args, status);
  put(args, "subject", std::move(subject));
  put(args, "description", std::move(description));
  put(args, "metadata", std::move(metadata));
  if (!add_blocked_by.empty()) args["add_blocked_by"] = numbers_of(add_blocked_by);
  put_flag(args, "reserved", is_reserved);
  put(args, "why", std::move(why));
  return args;
}

Result<Task> UpdateTask::read(const Json& answer) { return read_task_of(answer); }

}  // namespace teamster::hub
