#include "workflow/format/item_order.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::workflow {

std::string item_id(const Json& item) {
  if (!item.is_object()) return {};
  const auto found = item.find("id");
  if (found == item.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? std::to_string(found->get<std::int64_t>()) : std::string();
}

std::vector<std::string> item_needs(const Json& item) {
  std::vector<std::string> needs;
  if (!item.is_object()) return needs;
  const auto found = item.find("blocked_by");
  if (found == item.end() || !found->is_array()) return needs;
  for (const auto& each : *found) {
    if (each.is_string()) needs.push_back(each.get<std::string>());
    if (each.is_number_integer()) needs.push_back(std::to_string(each.get<std::int64_t>()));
  }
  return needs;
}

std::string id_or_number(const Json& item, std::int64_t number) {
  std::string id = item_id(item);
  if (!id.empty()) return id;
  return (item.is_object() ? "" : "#") + std::to_string(number);
}

Result<std::vector<Json>> in_order(std::vector<Json> items, const KnownId& is_known, std::int64_t first) {
  const auto known = [&](const std::string& id) { return is_known && is_known(id); };
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string id = id_or_number(items[i], first + static_cast<std::int64_t>(i));
    if (known(id) || !index.emplace(id, i).second)
      return fail(Code::invalid, fmt::format("two items have the id {}", quoted(id, 64)));
  }
  std::vector<std::size_t> missing(items.size(), 0);
  std::vector<std::vector<std::size_t>> waiters(items.size());
  bool has_needs = false;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const auto& need : item_needs(items[i])) {
      if (known(need)) continue;
      const auto found = index.find(need);
      if (found == index.end())
        return fail(Code::invalid,
                    fmt::format("item {} is blocked by {}, {}", i + 1, quoted(need, 64),
                                index.count("#" + need) != 0 ? "which is a text: make it an object with an id"
                                                             : "and there is no such item"));
      ++missing[i];
      waiters[found->second].push_back(i);
      has_needs = true;
    }
  if (!has_needs) return items;
  // Their numbers change with the order, and others name them by the one they had.
  for (const auto& [id, i] : index)
    if (items[i].is_object() && item_id(items[i]).empty()) items[i]["id"] = id;
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (missing[i] == 0) ready.insert(i);
  std::vector<Json> ordered;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    for (const std::size_t waiter : waiters[next])
      if (--missing[waiter] == 0) ready.insert(waiter);
    ordered.push_back(std::move(items[next]));
  }
  if (ordered.size() == items.size()) return ordered;
  std::string circle;
  for (const auto& [id, i] : index)
    if (missing[i] != 0 && circle.size() < 200) circle += (circle.empty() ? "" : ", ") + id;
  return fail(Code::invalid, fmt::format("these items wait for each other: {}", circle));
}

}  // namespace teamster::workflow
