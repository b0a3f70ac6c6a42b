// Lists that the hub hands out in pages: reads all of them, or the first `limit` items,
// without holding more than one page.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"

namespace teamster::cli {

struct PagedRead {
  std::string op;
  Json args;
  std::string list;                        // the answer's field that holds the items
  bool writes = false;                     // the operation takes a key
  std::optional<std::int64_t> limit = {};  // items in all
};

// Returns `next`: where the list goes on after the limit, or null.
Result<Json> for_each_item(const Context& context, const PagedRead& read,
                           const std::function<void(const Json&)>& visit);

// {"<list>":[…],"next":…}, streamed.
Result<int> print_pages_as_json(Context& context, const PagedRead& read);

}  // namespace teamster::cli
