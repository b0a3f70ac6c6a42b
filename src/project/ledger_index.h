// The index of a ledger (its file manifest.json) as text: read with every mistake named, and changed without losing
// keys or their order. Pure; used by the ledger alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "project/ledger.h"

namespace teamster::engine {

// `path` stands in the errors.
Result<LedgerState> read_ledger_index(const std::string& path, std::string_view text);

// The text with the state put into it; an empty text gives a new index.
Result<std::string> change_ledger_index(const std::string& path, std::string_view text, const LedgerState& state);

}  // namespace teamster::engine
