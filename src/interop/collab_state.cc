#include "interop/collab_state.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"

namespace teamster::interop {

Json with_our_names(Json state) {
  if (!state.is_object()) return state;
  if (const Json& threads = object_in(state, "threads"); !threads.empty() && !state.contains("thread_ids")) {
    const Json& below = object_in(threads, "stakeholders");
    Json flat = below.empty() ? threads : below;
    state["thread_ids"] = std::move(flat);
  }
  const Json channel = object_in(state, "channel");
  for (const auto& [ours, theirs] : {std::pair{"channel_id", "id"}, std::pair{"channel_name", "name"}})
    if (!state.contains(ours) && channel.contains(theirs)) state[ours] = channel[theirs];
  return state;
}

}  // namespace teamster::interop
