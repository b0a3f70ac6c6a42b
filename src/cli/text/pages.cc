#include "cli/text/pages.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cli/text/answer_fields.h"
#include "cli/text/json_list.h"

namespace teamster::cli {

Result<Json> for_each_item(const Context& context, const PagedRead& read,
                           const std::function<void(const Json&)>& visit) {
  hub::Request request = read.request;
  hub::PageCursor cursor(request.op, number_in(request.args, "after"));
  std::int64_t left = read.limit.value_or(INT64_MAX);
  for (int page = 1;; ++page) {
    if (read.limit) request.args["limit"] = std::min<std::int64_t>(left, limits::kPageMaxRows);
    const std::string step = page == 1 ? "" : fmt::format("page{}", page);
    const Json answer = TRY(read.writes ? context.write(request, step) : context.read(request));
    for (const auto& item : list_in(answer, read.list)) {
      visit(item);
      --left;
    }
    const Json next = answer.value("next", Json());
    if (next.is_null() || left <= 0 || context.output_is_broken()) return next;
    if (!TRY(cursor.advance(number_in(answer, "next")))) return Json();
    request.args["after"] = cursor.after();
  }
}

Result<int> print_pages_as_json(Context& context, const PagedRead& read) {
  std::optional<JsonList> document;
  const auto next = for_each_item(context, read, [&](const Json& item) {
    if (!document) document.emplace(context, read.list);
    document->add(item);
  });
  if (!next) {
    if (document) document->end_with(next.error());
    return fail(next.error());
  }
  if (!document) document.emplace(context, read.list);
  document->end({{"next", *next}});
  return 0;
}

}  // namespace teamster::cli
