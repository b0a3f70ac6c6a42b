// The manifest of a ledger as text: read with every mistake named, and changed without losing
// keys or their order. Pure; used by the ledger alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "project/ledger.h"

namespace teamster::engine {

// `path` stands in the errors.
Result<LedgerState> read_manifest(const std::string& path, std::string_view text);

// The text with the state put into it; an empty text gives a new manifest.
Result<std::string> change_manifest(const std::string& path, std::string_view text, const LedgerState& state);

}  // namespace teamster::engine
