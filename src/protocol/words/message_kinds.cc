#include "protocol/words/message_kinds.h"

#include <algorithm>

namespace teamster {

const MessageKind* find_message_kind(std::string_view name) {
  const auto found =
      std::find_if(kMessageKinds.begin(), kMessageKinds.end(), [&](const auto& each) { return each.name == name; });
  return found == kMessageKinds.end() ? nullptr : &*found;
}

std::vector<std::string> kinds_to_one() {
  std::vector<std::string> names;
  for (const auto& kind : kMessageKinds)
    if (!kind.is_to_all) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> kinds_to_all() {
  std::vector<std::string> names = {message_kind::kBroadcast};
  for (const auto& name : kinds_to_one()) names.push_back(name);
  return names;
}

}  // namespace teamster
