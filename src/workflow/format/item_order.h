// The order of items: what an item is called, which others it waits for, and a list in which each comes behind those.
// The same for items that a workflow lists, that an agent answers with and that an advisor proposes. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace teamster::workflow {

// The id that an item says it has; empty: none.
std::string item_id(const Json& item);
// What others call it: that, or its number. Others can wait for an object by its number, which is written into it when
// the order changes. A text has no place for that, so its number, behind a #, is no name that anybody could use.
std::string id_or_number(const Json& item, std::int64_t number);
// Its field blocked_by, as ids.
std::vector<std::string> item_needs(const Json& item);

// The items so that each comes after those that it is blocked by, otherwise in their order. An error names what is
// wrong: two of one id, a blocker that is not there, a circle. Those that were there before are `known`, and the number
// behind theirs is `first`.
using KnownId = std::function<bool(const std::string& id)>;
Result<std::vector<Json>> in_order(std::vector<Json> items, const KnownId& is_known = {}, std::int64_t first = 1);

}  // namespace teamster::workflow
