#include "workflow/text_record.h"

namespace teamster::workflow {
namespace {

Result<void> take_step(std::string_view name, JsonView value, std::string& step, std::int64_t& attempt) {
  if (is_word(name, "step") && !value.is_null()) {
    if (!value.is_text()) return fail(Code::invalid, "'step' is not a string");
    step = value.string().value_or("");
  } else if (is_word(name, "attempt") && !value.is_null()) {
    const auto number = value.integer();
    if (!number) return fail(Code::invalid, "'attempt' is not an integer");
    attempt = *number;
  }
  return {};
}

std::string_view text_until(const char* start, const JsonCursor& cursor) {
  return {start, static_cast<std::size_t>(cursor.at() - start)};
}

}  // namespace

Result<TextRecord*> TextRecordReader::read(JsonCursor& cursor) {
  of_event_.clear();
  of_commands_.clear();
  record_.event.kind = {};
  record_.event.step.clear();
  record_.event.attempt = 0;
  record_.commands.clear();
  const char* start = cursor.at();
  if (!cursor.enter_object()) return fail(Code::invalid, "the record is not an object");
  for (std::string_view name; cursor.next_field(name);) {
    if (is_word(name, "then")) {
      if (!cursor.enter_list()) return fail(Code::invalid, "'then' is not a list");
      while (cursor.next_item()) TRY_VOID(read_command(cursor));
      continue;
    }
    const JsonView value = cursor.skip();
    TRY_VOID(take_step(name, value, record_.event.step, record_.event.attempt));
    of_event_.push_back({name, value});
  }
  record_.event.body = {&of_event_, 0, of_event_.size(), text_until(start, cursor)};
  return &record_;
}

Result<void> TextRecordReader::read_command(JsonCursor& cursor) {
  TextCommand& command = record_.commands.emplace_back();
  const std::size_t first = of_commands_.size();
  const char* start = cursor.at();
  if (!cursor.enter_object()) return fail(Code::invalid, "a command is not an object");
  for (std::string_view name; cursor.next_field(name);) {
    const JsonView value = cursor.skip();
    if (is_word(name, "do")) command.kind = value.inside();
    TRY_VOID(take_step(name, value, command.step, command.attempt));
    of_commands_.push_back({name, value});
  }
  if (command.kind.empty()) return fail(Code::invalid, "a command has no 'do'");
  command.body = {&of_commands_, first, of_commands_.size(), text_until(start, cursor)};
  return {};
}

}  // namespace teamster::workflow
