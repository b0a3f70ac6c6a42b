#include "project/ledger_place.h"

namespace teamster::engine {

Result<LedgerPlace> ledger_place(const workflow::Ledger& ledger, const std::string& project,
                                 const SourceLookup& sources) {
  LedgerPlace place;
  place.project = project;
  place.directory = TRY(render_short_text(ledger.directory, sources));
  place.index = TRY(render_short_text(ledger.index, sources));
  return place;
}

Result<std::vector<std::pair<std::string, Json>>> ledger_fields(const workflow::Ledger& ledger,
                                                                const SourceLookup& sources) {
  std::vector<std::pair<std::string, Json>> fields;
  for (const auto& [name, value] : ledger.fields) {
    if (!value.is_string()) {
      fields.emplace_back(name, value);
      continue;
    }
    const std::string words = TRY(render_short_text(value.get_ref<const std::string&>(), sources));
    fields.emplace_back(name, words.empty() ? Json(nullptr) : Json(words));
  }
  return fields;
}

}  // namespace teamster::engine
