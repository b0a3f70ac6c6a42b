// Calls about the tasks of a team. Rules and refusals are the hub's (team/task_list.h). A member may leave `team` and
// `member` empty: it acts as itself. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "protocol/client/pages.h"
#include "protocol/words/operations.h"
#include "protocol/words/task_status.h"

namespace teamster::hub {

struct Task {
  TaskId id;
  std::string team;
  std::string subject;
  std::string description;
  TaskStatus status = TaskStatus::pending;
  std::optional<std::string> owner;
  std::optional<std::string> reserved;  // who hands it out, and why; empty: anybody may claim it
  std::vector<TaskId> blocks;
  std::vector<TaskId> blocked_by;
  std::vector<TaskId> waiting_for;  // its blockers that are not completed
  Json metadata = Json::object();
  std::optional<WallTime> created;
  std::optional<WallTime> updated;
  std::string token;  // of the claim, for who has just made it

  static Result<Task> read(const Json& task);
};

struct CreateTask {
  static constexpr const char* kOperation = operation::kTaskCreate;
  static constexpr bool kWrites = true;
  using Answer = Task;

  std::string team;
  std::string subject;
  std::optional<std::string> description = {};
  std::vector<TaskId> blocked_by = {};
  std::optional<Json> metadata = {};
  std::optional<std::string> reserved = {};  // for the operator alone

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// One page; ask_for_all reads every page. Deleted tasks only where the status asks for them.
struct ListTasks {
  static constexpr const char* kOperation = operation::kTaskList;
  static constexpr const char* kItems = "tasks";
  static constexpr bool kWrites = false;
  using Answer = Page<Task>;

  std::string team;
  std::optional<TaskStatus> status = {};
  std::string owner = {};
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
  static Result<Task> read_item(const Json& item) { return Task::read(item); }
};

struct GetTask {
  static constexpr const char* kOperation = operation::kTaskGet;
  static constexpr bool kWrites = false;
  using Answer = Task;

  std::string team;
  TaskId id;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// Without an id the next task that is free; waits for one with CallOptions::wait. nullopt when none came.
struct ClaimTask {
  static constexpr const char* kOperation = operation::kTaskClaim;
  static constexpr bool kWrites = true;
  using Answer = std::optional<Task>;

  std::string team;
  std::string member;
  std::optional<TaskId> id = {};
  // For the operator alone: gives the reserved task `id` to `member`, whoever has it.
  bool is_reserved = false;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct UpdateTask {
  static constexpr const char* kOperation = operation::kTaskUpdate;
  static constexpr bool kWrites = true;
  using Answer = Task;

  std::string team;
  TaskId id;
  std::string member = {};
  std::string token = {};  // of the claim, where somebody has one
  std::optional<TaskStatus> status = {};
  std::optional<std::string> subject = {};
  std::optional<std::string> description = {};
  std::optional<Json> metadata = {};  // merged into what is there; null deletes
  std::vector<TaskId> add_blocked_by = {};
  // For the operator alone: changes a reserved task, without a token and whatever its status, deleted excepted.
  bool is_reserved = false;
  std::optional<std::string> why = {};  // of a reserved task: kept in its metadata

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

}  // namespace teamster::hub
