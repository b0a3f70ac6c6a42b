#include "workflow/core/run_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace teamster::workflow {
namespace {

constexpr std::array<std::string_view, 6> kWithoutEffect = {command::kEnter, command::kItems, command::kSettle,
                                                            command::kNote,  command::kRaise, command::kRemind};
constexpr const char* kThen = "then";
constexpr const char* kDo = "do";

// Step and attempt lie beside the other fields: readers of the journal look for them there.
Json flat(const std::string& step, std::int64_t attempt, Json body) {
  if (!step.empty()) body["step"] = step;
  if (attempt != 0) body["attempt"] = attempt;
  return body;
}

using Object = Json::object_t;

// Takes a field out of an object, without a copy: a journal can have a million records.
std::optional<Json> taken(Object& object, const char* name) {
  auto node = object.extract(name);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

Result<void> take_step(Object& body, std::string& step, std::int64_t& attempt) {
  if (auto given = taken(body, "step"); given && !given->is_null()) {
    if (!given->is_string()) return fail(Code::invalid, "'step' is not a string");
    step = std::move(given->get_ref<std::string&>());
  }
  if (const auto given = taken(body, "attempt"); given && !given->is_null()) {
    if (!given->is_number_integer()) return fail(Code::invalid, "'attempt' is not an integer");
    attempt = given->get<std::int64_t>();
  }
  return {};
}

Result<RunCommand> read_command(std::string_view kind, Json& entry) {
  if (!entry.is_object()) return fail(Code::invalid, fmt::format("a command of the record {} is not an object", kind));
  auto& fields = entry.get_ref<Object&>();
  RunCommand command;
  auto name = taken(fields, kDo);
  if (!name || !name->is_string())
    return fail(Code::invalid, fmt::format("a command of the record {} has no '{}'", kind, kDo));
  command.kind = std::move(name->get_ref<std::string&>());
  TRY_VOID(take_step(fields, command.step, command.attempt));
  command.body = std::move(entry);
  return command;
}

}  // namespace

// By hand: every record has several.
std::string effect_id(std::string_view step, std::int64_t attempt) {
  std::array<char, 24> digits;
  const char* first = digits.data();
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), attempt).ptr;
  std::string id;
  id.reserve(step.size() + 1 + static_cast<std::size_t>(end - first));
  id.append(step).append(1, '.').append(first, end);
  return id;
}

bool has_effect(std::string_view kind) {
  return std::find(kWithoutEffect.begin(), kWithoutEffect.end(), kind) == kWithoutEffect.end();
}

std::string_view kind_of(const RunEvent& event) { return event.kind; }
std::string_view kind_of(const RunCommand& command) { return command.kind; }

RunEvent event_of(const EventBody& body) { return {std::string(kind_of(body)), "", 0, fields_of(body)}; }

RunEvent event_about(const RunCommand& command, const EventBody& body) {
  return {std::string(kind_of(body)), command.step, command.attempt, fields_of(body)};
}

Json journal_entry(const RunRecord& record) {
  Json entry = {{"kind", kind_of(record.event)}};
  entry["body"] = body_of(record);
  return entry;
}

Json body_of(const RunRecord& record) {
  Json body = flat(record.event.step, record.event.attempt, record.event.body);
  Json then = Json::array();
  for (const auto& command : record.commands) {
    Json entry = flat(command.step, command.attempt, command.body);
    entry[kDo] = command.kind;
    then.push_back(std::move(entry));
  }
  if (!then.empty()) body[kThen] = std::move(then);
  return body;
}

Result<RunRecord> read_record(std::string_view kind, Json body) {
  if (!body.is_object()) return fail(Code::invalid, fmt::format("the record {} is not an object", kind));
  auto& fields = body.get_ref<Object&>();
  RunRecord record;
  record.event.kind = kind;
  auto then = taken(fields, kThen);
  TRY_VOID(take_step(fields, record.event.step, record.event.attempt));
  record.event.body = std::move(body);
  if (!then) return record;
  if (!then->is_array()) return fail(Code::invalid, fmt::format("'then' of the record {} is not a list", kind));
  record.commands.reserve(then->size());
  for (auto& entry : *then) record.commands.push_back(TRY(read_command(kind, entry)));
  return record;
}

}  // namespace teamster::workflow
