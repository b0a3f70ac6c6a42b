#include "engine/journal_fold.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "protocol/words/record_kinds.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {
namespace {

Error no_page() {
  return {Code::internal, "the hub sent something that is no page of a journal", "Run `teamster doctor`"};
}

}  // namespace

Result<void> JournalFold::add(Json page) {
  const auto events = page.find("events");
  if (events == page.end() || !events->is_array()) return fail(no_page());
  for (auto& each : *events) TRY_VOID(add_event(each));
  return {};
}

Result<void> JournalFold::add_event(Json& event) {
  const auto n = integer_field(event, "n");
  const auto what = string_field(event, "kind");
  const auto body = event.find("body");
  if (!n || !what || body == event.end()) return fail(no_page());
  if (!is_of_hub_alone(*what)) {
    // The hub wraps what it was given at the start.
    if (*what == kind::kRunStarted) *body = Json(field_in(*body, "body"));
    auto record = workflow::read_record(*what, std::move(*body));
    if (!record)
      return fail(Code::invalid, fmt::format("record {} of the journal cannot be read: {}", *n, record.error().what),
                  "Run `teamster doctor`");
    workflow::apply(folded_.state, *record);
    const WallTime at = parse_iso8601(string_field(event, "at").value_or("")).value_or(WallTime{});
    for (const auto& command : record->commands)
      if (command.has_effect()) folded_.since[command.id()] = at;
  }
  folded_.n = *n;
  return {};
}

Snapshot JournalFold::take() {
  std::erase_if(folded_.since, [&](const auto& each) { return folded_.state.open.count(each.first) == 0; });
  return std::move(folded_);
}

}  // namespace teamster::engine
