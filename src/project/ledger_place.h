// Where the ledger of one item is, and what stands in its fields: the templates of
// workflow::Ledger, filled. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "project/ledger.h"
#include "project/short_text.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

Result<LedgerPlace> ledger_place(const workflow::Ledger& ledger, const std::string& project,
                                 const SourceLookup& sources);

// Texts are templates, one that becomes empty is null; other values are as they are.
Result<std::vector<std::pair<std::string, Json>>> ledger_fields(const workflow::Ledger& ledger,
                                                                const SourceLookup& sources);

}  // namespace teamster::engine
