#include "engine/journal_fold.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "protocol/words/record_kinds.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {

Result<void> JournalFold::add(std::vector<hub::RunJournalEvent> page) {
  for (auto& event : page) TRY_VOID(add_event(std::move(event)));
  return {};
}

Result<void> JournalFold::add_event(hub::RunJournalEvent event) {
  if (!is_of_hub_alone(event.kind)) {
    // The hub wraps what it was given at the start.
    if (event.kind == kind::kRunStarted) event.body = Json(field_in(event.body, "body"));
    auto record = workflow::read_record(event.kind, std::move(event.body));
    if (!record)
      return fail(Code::invalid,
                  fmt::format("record {} of the journal cannot be read: {}", event.n, record.error().what),
                  "Run `teamster doctor`");
    workflow::apply(folded_.state, *record);
    for (const auto& command : record->commands)
      if (command.has_effect()) folded_.since[command.id()] = event.at;
  }
  folded_.n = event.n;
  return {};
}

Snapshot JournalFold::take() {
  std::erase_if(folded_.since, [&](const auto& each) { return folded_.state.open.count(each.first) == 0; });
  return std::move(folded_);
}

}  // namespace teamster::engine
