#include "protocol/words/task_records.h"

namespace teamster {
namespace {

Json task_numbers(const std::vector<TaskId>& ids) {
  Json list = Json::array();
  for (const TaskId id : ids) list.push_back(id.value);
  return list;
}

const Json* field_of(const Json& body, const char* name) {
  const auto found = body.find(name);
  return found == body.end() ? nullptr : &*found;
}

}  // namespace

Json TaskCreated::json() && {
  Json body = {{"id", id.value}, {"subject", subject}, {"description", description}};
  body["metadata"] = std::move(metadata);
  body["blocked_by"] = task_numbers(blocked_by);
  if (!reserved.empty()) body["reserved"] = reserved;
  return body;
}

TaskCreated TaskCreated::read(const Json& body) {
  const Json* reserved = field_of(body, "reserved");
  return {.id = task_id_in(body),
          .subject = body.at("subject").get_ref<const std::string&>(),
          .description = body.at("description").get_ref<const std::string&>(),
          .metadata = {},
          .reserved = reserved != nullptr ? reserved->get_ref<const std::string&>() : std::string_view()};
}

const Json& TaskCreated::blocked_by_in(const Json& body) { return body.at("blocked_by"); }

Json TaskClaimed::json() && {
  return {
      {"id", id.value}, {"member", member}, {"member_id", member_id.value}, {"epoch", epoch.value}, {"token", token}};
}

TaskClaimed TaskClaimed::read(const Json& body) {
  const Json* member = field_of(body, "member");
  return {task_id_in(body), member != nullptr ? member->get_ref<const std::string&>() : std::string_view(),
          MemberId(body.at("member_id").get<std::int64_t>()), Epoch(body.at("epoch").get<std::int64_t>()),
          body.at("token").get_ref<const std::string&>()};
}

Json TaskUpdated::json() && {
  Json body = {{"id", id.value}};
  if (status) body["status"] = to_string(*status);
  if (subject) body["subject"] = *std::move(subject);
  if (description) body["description"] = *std::move(description);
  if (metadata) body["metadata"] = *std::move(metadata);
  if (!add_blocked_by.empty()) body["add_blocked_by"] = task_numbers(add_blocked_by);
  return body;
}

Json TaskReleased::json() && {
  Json body = {{"member", member}, {"reason", reason}};
  body["ids"] = task_numbers(ids);
  return body;
}

const Json& TaskReleased::ids_in(const Json& body) { return body.at("ids"); }

TaskId task_id_in(const Json& body) { return TaskId(body.at("id").get<std::int64_t>()); }
const Json* metadata_in(const Json& body) { return field_of(body, "metadata"); }

const Json* TaskUpdated::subject_in(const Json& body) { return field_of(body, "subject"); }
const Json* TaskUpdated::description_in(const Json& body) { return field_of(body, "description"); }
const Json* TaskUpdated::add_blocked_by_in(const Json& body) { return field_of(body, "add_blocked_by"); }

std::optional<TaskStatus> TaskUpdated::status_in(const Json& body) {
  const Json* status = field_of(body, "status");
  return status == nullptr ? std::nullopt : task_status_from_string(status->get_ref<const std::string&>());
}

}  // namespace teamster
