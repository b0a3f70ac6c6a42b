#include "workflow/core/run_record.h"

#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace teamster::workflow {
namespace {

constexpr const char* kThen = "then";
constexpr const char* kDo = "do";
constexpr const char* kStep = "step";
constexpr const char* kAttempt = "attempt";

// Step and attempt lie beside the other fields: readers of the journal look for them there.
void add_step(Json& fields, const std::string& step, std::int64_t attempt) {
  if (!step.empty()) fields[kStep] = step;
  if (attempt != 0) fields[kAttempt] = attempt;
}

using Object = Json::object_t;

// Takes a field out of an object, without a copy: a journal can have a million records.
std::optional<Json> taken(Object& object, const char* name) {
  auto node = object.extract(name);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

Result<void> take_step(Object& body, std::string& step, std::int64_t& attempt) {
  if (auto given = taken(body, kStep); given && !given->is_null()) {
    if (!given->is_string()) return fail(Code::invalid, "'step' is not a string");
    step = std::move(given->get_ref<std::string&>());
  }
  if (const auto given = taken(body, kAttempt); given && !given->is_null()) {
    if (!given->is_number_integer()) return fail(Code::invalid, "'attempt' is not an integer");
    attempt = given->get<std::int64_t>();
  }
  return {};
}

Result<RunCommand> read_command(std::string_view kind, Json& entry) {
  if (!entry.is_object()) return fail(Code::invalid, fmt::format("a command of the record {} is not an object", kind));
  auto& fields = entry.get_ref<Object&>();
  RunCommand command;
  const auto name = taken(fields, kDo);
  if (!name || !name->is_string())
    return fail(Code::invalid, fmt::format("a command of the record {} has no '{}'", kind, kDo));
  TRY_VOID(take_step(fields, command.step, command.attempt));
  command.body = read_command_body(name->get_ref<const std::string&>(), std::move(entry));
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

RunEvent event_of(EventBody body) { return {std::move(body)}; }

RunEvent event_about(const RunCommand& command, EventBody body) {
  return {std::move(body), command.step, command.attempt};
}

RunCommand command_of(const command::DoubtfulEffect& effect) {
  return {read_command_body(effect.kind, effect.body), effect.step, effect.attempt};
}

Json then_of(const std::vector<RunCommand>& commands) {
  Json then = Json::array();
  for (const auto& command : commands) {
    Json entry = fields_of(command.body);
    add_step(entry, command.step, command.attempt);
    entry[kDo] = command.kind();
    then.push_back(std::move(entry));
  }
  return then;
}

Json journal_entry(const RunRecord& record) {
  Json entry = {{"kind", record.event.kind()}};
  entry["body"] = body_of(record);
  return entry;
}

Json body_of(const RunRecord& record) {
  Json body = fields_of(record.event.body);
  add_step(body, record.event.step, record.event.attempt);
  if (!record.commands.empty()) body[kThen] = then_of(record.commands);
  return body;
}

Result<RunRecord> read_record(std::string_view kind, Json body) {
  if (!body.is_object()) return fail(Code::invalid, fmt::format("the record {} is not an object", kind));
  auto& fields = body.get_ref<Object&>();
  RunRecord record;
  auto then = taken(fields, kThen);
  TRY_VOID(take_step(fields, record.event.step, record.event.attempt));
  record.event.body = read_event_body(kind, std::move(body));
  if (!then) return record;
  if (!then->is_array()) return fail(Code::invalid, fmt::format("'then' of the record {} is not a list", kind));
  record.commands.reserve(then->size());
  for (auto& entry : *then) record.commands.push_back(TRY(read_command(kind, entry)));
  return record;
}

}  // namespace teamster::workflow
