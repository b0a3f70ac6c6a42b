// Bodies of the records about tasks; see docs/formats/store.md and team_records.h, whose rules hold here. Tasks are
// numbered from 1 in each team. Values that borrow texts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "protocol/words/record_kinds.h"
#include "protocol/words/task_status.h"

namespace teamster {

struct TaskCreated {
  static constexpr const char* kKind = teamster::kind::kTaskCreated;
  TaskId id;
  std::string_view subject;
  std::string_view description;
  Json metadata = Json::object();
  std::vector<TaskId> blocked_by = {};
  std::string_view reserved = {};  // who hands it out, and why; empty: anybody may claim it

  Json json() &&;
  // Its texts; the rest with the functions below.
  static TaskCreated read(const Json& body);
  // A list of numbers.
  static const Json& blocked_by_in(const Json& body);
};

struct TaskClaimed {
  static constexpr const char* kKind = teamster::kind::kTaskClaimed;
  TaskId id;
  std::string_view member;
  MemberId member_id;
  Epoch epoch;
  std::string_view token;

  Json json() &&;
  static TaskClaimed read(const Json& body);
};

// What has changed of a task, and nothing else.
struct TaskUpdated {
  static constexpr const char* kKind = teamster::kind::kTaskUpdated;
  TaskId id;
  std::optional<TaskStatus> status = {};
  std::optional<std::string> subject = {};
  std::optional<std::string> description = {};
  std::optional<Json> metadata = {};  // whole
  std::vector<TaskId> add_blocked_by = {};

  bool is_empty() const { return !(status || subject || description || metadata) && add_blocked_by.empty(); }
  Json json() &&;
  // Empty and nullptr: it has not changed.
  static std::optional<TaskStatus> status_in(const Json& body);
  static const Json* subject_in(const Json& body);
  static const Json* description_in(const Json& body);
  // A list of numbers.
  static const Json* add_blocked_by_in(const Json& body);
};

// The owner's epoch ended, or the engine of a run has given a reserved task to somebody else.
struct TaskReleased {
  static constexpr const char* kKind = teamster::kind::kTaskReleased;
  const std::vector<TaskId>& ids;
  std::string_view member;
  std::string_view reason;

  Json json() &&;
  // A list of numbers.
  static const Json& ids_in(const Json& body);
};

// Of a record about one task.
TaskId task_id_in(const Json& body);
// An object; nullptr where the record does not say.
const Json* metadata_in(const Json& body);

}  // namespace teamster
