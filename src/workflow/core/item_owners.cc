// Rules for lists of items that agents write: who owns which path, and whether the list can be worked on.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/run_items.h"
#include "workflow/format/item_order.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kPathShownBytes = 200;

bool leads_out(const std::string& path) {
  return path.empty() || path.starts_with('/') || path == ".." || path.starts_with("../") ||
         path.find("/../") != std::string::npos || path.ends_with("/..");
}

std::string name_of(const Json& item, std::size_t index) {
  const std::string id = item_id(item);
  return id.empty() ? fmt::format("item {}", index + 1) : id;
}

}  // namespace

std::vector<std::string> owned_paths(const Json& item, const std::string& field) {
  std::vector<std::string> paths;
  const auto list = item.is_object() ? item.find(field) : item.end();
  if (!item.is_object() || list == item.end() || !list->is_array()) return paths;
  for (const auto& each : *list) {
    if (!each.is_string()) continue;
    std::string path = each.get<std::string>();
    while (path.starts_with("./")) path.erase(0, 2);
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<void> check_owners(const std::vector<Json>& items, const std::string& field) {
  if (field.empty()) return {};
  std::map<std::string, std::string> owners;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string name = name_of(items[i], i);
    const auto paths = owned_paths(items[i], field);
    if (paths.empty())
      return fail(Code::invalid, fmt::format("{} owns nothing: `{}` lists the paths that it may write", name, field));
    for (const auto& path : paths) {
      if (leads_out(path))
        return fail(Code::invalid,
                    fmt::format("{} owns {}, which is no path in the project", name, quoted(path, kPathShownBytes)));
      const auto [owner, is_new] = owners.emplace(path, name);
      if (!is_new && owner->second != name)
        return fail(Code::invalid,
                    fmt::format("{} is owned by {} and by {}", quoted(path, kPathShownBytes), owner->second, name),
                    "Give each path one owner: join the two, or move the path to one of them");
    }
  }
  return {};
}

Result<void> checked_graph(std::vector<Json> items, const std::string& owns, const std::vector<std::string>& roles) {
  TRY_VOID(check_owners(items, owns));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto role = items[i].is_object() ? items[i].find("role") : items[i].end();
    if (!items[i].is_object() || role == items[i].end() || role->is_null()) continue;
    if (!role->is_string() || std::find(roles.begin(), roles.end(), role->get<std::string>()) == roles.end())
      return fail(Code::invalid, fmt::format("{} is for the role {}, expected one of {}", name_of(items[i], i),
                                             dump_json(*role), join(roles, ", ")));
  }
  TRY_VOID(in_order(std::move(items), {}, 1));
  return {};
}

}  // namespace teamster::workflow
