#include "cli/text/json_list.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {

JsonList::JsonList(Context& context, std::string_view name) : context_(context) {
  context_.begin_json();
  context_.print(fmt::format("{{\"{}\":[", name));
}

void JsonList::add(const Json& item) {
  if (!is_empty_) context_.print(",");
  is_empty_ = false;
  context_.print(dump_json(item));
}

void JsonList::end(const Json& fields) {
  context_.print("]");
  for (const auto& [name, value] : fields.items())
    context_.print(fmt::format(",{}:{}", dump_json(name), dump_json(value)));
  context_.print("}\n");
}

void JsonList::end_with(const Error& error) { end(error_document(error)); }

}  // namespace teamster::cli
