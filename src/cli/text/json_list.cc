#include "cli/text/json_list.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {

JsonList::JsonList(Context& context, std::string_view name) : context_(context) {
  context_.begin_json();
  context_.print_as_it_is(fmt::format("{{\"{}\":[", name));
}

void JsonList::add(const Json& item) {
  if (!is_empty_) context_.print_as_it_is(",");
  is_empty_ = false;
  context_.print_as_it_is(dump_json(item));
}

void JsonList::end(const Json& fields) {
  context_.print_as_it_is("]");
  for (const auto& [name, value] : fields.items())
    context_.print_as_it_is(fmt::format(",{}:{}", dump_json(name), dump_json(value)));
  context_.print_as_it_is("}\n");
}

void JsonList::end_with(const Error& error) { end(error_document(error)); }

}  // namespace teamster::cli
