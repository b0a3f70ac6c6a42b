#include "workflow/core/condition.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

constexpr const char* kItems = "items";
constexpr std::size_t kShownBytes = 200;

// What came of each item of the phase that the moment is in.
Json items_of(const Moment& moment) {
  Json list = Json::array();
  if (moment.phase == nullptr || !moment.phase->items) return list;
  const RunItems* items = &moment.state.items;
  if (moment.state.phase != moment.phase->id) {
    const auto found = moment.state.earlier.find(moment.phase->id);
    if (found == moment.state.earlier.end()) return list;
    items = &found->second;
  }
  for (const auto& each : items->list()) {
    if (each.status == RunItem::Status::replaced) continue;
    Json entry = each.answer.is_object() ? each.answer : Json::object();
    entry["passed"] = each.status == RunItem::Status::passed;
    list.push_back(std::move(entry));
  }
  return list;
}

bool entry_holds(const Json& entry, const Json& wanted) {
  if (!wanted.is_object()) return entry == wanted;
  for (const auto& [field, value] : wanted.items())
    if (value_at(entry, field) != value) return false;
  return true;
}

std::int64_t count_in(const Json& list, const Json& wanted) {
  if (!list.is_array()) return 0;
  return std::count_if(list.begin(), list.end(), [&](const Json& entry) { return entry_holds(entry, wanted); });
}

// Of something that is no list nothing is known, so no test of its entries holds. A map that is no test is a value.
bool list_test_holds(const Json& value, const Json& test) {
  const bool is_test =
      test.contains("every") || test.contains("any") || test.contains("none") || test.contains("count");
  if (!is_test) return value == test;
  if (!value.is_array()) return false;
  const auto size = static_cast<std::int64_t>(value.size());
  if (test.contains("every")) return count_in(value, test.at("every")) == size;
  if (test.contains("any")) return count_in(value, test.at("any")) > 0;
  if (test.contains("none")) return count_in(value, test.at("none")) == 0;
  const auto bound = [&](const char* name, std::int64_t fallback) {
    const auto found = test.find(name);
    return found != test.end() && found->is_number_integer() ? found->get<std::int64_t>() : fallback;
  };
  const std::int64_t count = count_in(value, test.at("count"));
  return count >= bound("at_least", 0) && count <= bound("at_most", size);
}

// "PHASE": its field of the same name; "PHASE/field": that one.
Json earlier_value(const Moment& moment, const std::string& field, const std::string& since) {
  const std::size_t slash = since.find('/');
  const auto answer = moment.state.answers.find(since.substr(0, slash));
  if (answer == moment.state.answers.end()) return {};
  return value_at(answer->second.value, slash == std::string::npos ? field : since.substr(slash + 1));
}

Json value_for(const Moment& moment, const std::string& field, const Json& answer) {
  const bool asks_items = field == kItems && moment.phase != nullptr && moment.phase->items.has_value();
  return asks_items ? items_of(moment) : value_at(answer, field);
}

bool side_holds(const Moment& moment, const std::string& field, const Json& wanted, const Json& answer) {
  const Json value = value_for(moment, field, answer);
  if (!wanted.is_object()) return value == wanted;
  if (wanted.contains("changed_since")) {
    const Json& since = wanted.at("changed_since");
    const Json before = earlier_value(moment, field, since.is_string() ? since.get<std::string>() : "");
    return !before.is_null() && before != value;
  }
  return list_test_holds(value, wanted);
}

}  // namespace

bool holds(const Moment& moment, const Condition& condition, const Json& answer) {
  return std::all_of(condition.begin(), condition.end(),
                     [&](const auto& side) { return side_holds(moment, side.first, side.second, answer); });
}

std::string first_failing(const Moment& moment, const Condition& condition, const Json& answer) {
  for (const auto& [field, wanted] : condition)
    if (!side_holds(moment, field, wanted, answer))
      return fmt::format("{} is {}, and should be {}", field,
                         beginning_of(dump_json(value_for(moment, field, answer)), kShownBytes), dump_json(wanted));
  return {};
}

}  // namespace teamster::workflow
