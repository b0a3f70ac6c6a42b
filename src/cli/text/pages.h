// Lists that the hub hands out in pages: reads all of them, or the first `limit` items,
// without holding more than one page.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"

namespace teamster::cli {

struct PagedRead {
  hub::Request request;                    // for the first page
  std::string list;                        // the answer's field that holds the items
  bool writes = false;                     // the operation takes a key
  std::optional<std::int64_t> limit = {};  // items in all
};

// Returns `next`: where the list goes on after the limit, or null.
Result<Json> for_each_item(const Context& context, const PagedRead& read,
                           const std::function<void(const Json&)>& visit);

// Of a typed call (protocol/client/*_calls.h).
template <class Call>
PagedRead paged_read(Call call, std::optional<std::int64_t> limit = {}) {
  return {.request = hub::request_for(std::move(call)), .list = Call::kItems, .writes = Call::kWrites, .limit = limit};
}

template <class Call, class Visit>
Result<void> visit_items(const Context& context, Call call, Visit visit, std::optional<std::int64_t> limit = {}) {
  std::optional<Error> unreadable;
  const auto next = for_each_item(context, paged_read(std::move(call), limit), [&](const Json& document) {
    if (unreadable) return;
    if (const auto item = Call::read_item(document))
      visit(*item);
    else
      unreadable = hub::unreadable_answer(Call::kOperation, item.error());
  });
  if (unreadable) return fail(*unreadable);
  if (!next) return fail(next.error());
  return {};
}

// {"<list>":[…],"next":…}, streamed.
Result<int> print_pages_as_json(Context& context, const PagedRead& read);

}  // namespace teamster::cli
