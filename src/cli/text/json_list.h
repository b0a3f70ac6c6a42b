// JsonList: one document {"name":[item, …], …} that is printed item by item, so that a
// long list is never held. An error in the middle becomes a field of the same document.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"

namespace teamster::cli {

class JsonList {
 public:
  JsonList(Context& context, std::string_view name);

  void add(const Json& item);
  // `fields`: an object whose fields follow the list.
  void end(const Json& fields);
  void end_with(const Error& error);

 private:
  Context& context_;
  bool is_empty_ = true;
};

}  // namespace teamster::cli
