#include "workflow/run_record.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace teamster::workflow {
namespace {

constexpr std::array kWithoutEffect = {command::kEnter, command::kItems, command::kSettle,
                                       command::kNote,  command::kRaise, command::kRemind};
constexpr const char* kThen = "then";
constexpr const char* kDo = "do";

// Step and attempt lie beside the other fields: readers of the journal look for them there.
Json flat(const std::string& step, std::int64_t attempt, Json body) {
  if (!step.empty()) body["step"] = step;
  if (attempt != 0) body["attempt"] = attempt;
  return body;
}

Result<void> take_step(Json& body, std::string& step, std::int64_t& attempt) {
  step = TRY(optional_string_field(body, "step")).value_or("");
  attempt = TRY(optional_integer_field(body, "attempt")).value_or(0);
  body.erase("step");
  body.erase("attempt");
  return {};
}

}  // namespace

std::string RunCommand::id() const { return fmt::format("{}.{}", step.empty() ? kind : step, attempt); }

bool RunCommand::has_effect() const {
  return std::none_of(kWithoutEffect.begin(), kWithoutEffect.end(), [this](const char* each) { return kind == each; });
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

Result<RunRecord> read_record(std::string_view kind, const Json& body) {
  if (!body.is_object()) return fail(Code::invalid, fmt::format("the record {} is not an object", kind));
  RunRecord record;
  record.event.kind = kind;
  record.event.body = body;
  record.event.body.erase(kThen);
  TRY_VOID(take_step(record.event.body, record.event.step, record.event.attempt));
  const auto then = body.find(kThen);
  if (then == body.end()) return record;
  if (!then->is_array()) return fail(Code::invalid, fmt::format("'then' of the record {} is not a list", kind));
  for (const auto& entry : *then) {
    if (!entry.is_object())
      return fail(Code::invalid, fmt::format("a command of the record {} is not an object", kind));
    RunCommand command;
    command.kind = TRY(string_field(entry, kDo));
    command.body = entry;
    command.body.erase(kDo);
    TRY_VOID(take_step(command.body, command.step, command.attempt));
    record.commands.push_back(std::move(command));
  }
  return record;
}

}  // namespace teamster::workflow
