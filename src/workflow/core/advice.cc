#include "workflow/core/advice.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/speech_of_others.h"
#include "workflow/core/step_names.h"

namespace teamster::workflow {
namespace {

const std::string kSchemaText = R"({
  "type": "object", "required": ["items"], "additionalProperties": false,
  "properties": {
    "why": { "type": "string" },
    "items": { "type": "array", "minItems": 1, "items": {
      "type": "object", "required": ["id", "replaces"],
      "properties": {
        "id": { "type": "string", "minLength": 1 },
        "replaces": { "type": "array", "minItems": 1, "items": { "type": "string" } },
        "blocked_by": { "type": "array", "items": { "type": "string" } },
        "role": { "type": "string" } } } } } })";

// That a proposal can replace.
bool is_left(const AdviceScene& scene, std::int64_t number) {
  const RunItem& item = *scene.items.find(number);
  return item.status == RunItem::Status::waiting ||
         (item.status == RunItem::Status::active && scene.under_way.count(number) == 0);
}

std::vector<std::string> texts_in(const Json& item, const char* name) {
  std::vector<std::string> texts;
  const auto found = item.find(name);
  if (found == item.end() || !found->is_array()) return texts;
  for (const auto& each : *found)
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

}  // namespace

const std::string* builtin_schema(const std::string& name) { return name == kAdviceSchema ? &kSchemaText : nullptr; }

bool must_be_replaced(const AdviceScene& scene, std::int64_t number) {
  return is_left(scene, number) && scene.parked.count(number) == 0;
}

// Ids and items are words of agents, mostly.
std::string advice_request(const AdviceScene& scene) {
  std::string text = fmt::format(
      "Several members of phase {} are in trouble at once, so the way the work is cut may be wrong. Propose another "
      "task graph for what is left: split, merge, reorder or reassign items. What has passed stays as it is.\n\n"
      "Answer with `items`: each has an `id` that no item had before, `replaces` (the ids of items that it stands for; "
      "every item that is left is named by at least one), `blocked_by` (ids that must pass before it) and what its "
      "worker needs to know, in the fields that the items have now.\n\nThe items:\n",
      scene.phase);
  for (std::int64_t number = 1; number <= scene.items.size(); ++number) {
    const RunItem& item = *scene.items.find(number);
    if (item.status == RunItem::Status::replaced) continue;
    const bool left = is_left(scene, number);
    const bool may_stay = left && !must_be_replaced(scene, number);
    text += fmt::format("- {} ({})\n", dump_json(item.id),
                        may_stay ? "left, and its owner was asked what to do with it: it need not be replaced"
                        : left   ? "left"
                                 : to_string(item.status));
    if (left) text += fenced("the task graph", dump_json(item.item)) + "\n";
    const auto tried = scene.tries.find(item_step(scene.phase, number));
    if (tried == scene.tries.end()) continue;
    const std::string& why = number == scene.last ? scene.last_error : tried->second.why;
    if (!why.empty())
      text += fmt::format("  It failed; fresh agents that tried it: {}. The last error:\n{}\n", tried->second.fresh,
                          fenced("the engine, of the last try", why));
  }
  return text;
}

Result<AdvisedGraph> advised_items(const AdviceScene& scene, const Json& advice,
                                   const std::vector<std::string>& roles) {
  std::map<std::string, std::int64_t> left;
  for (std::int64_t number = 1; number <= scene.items.size(); ++number)
    if (is_left(scene, number)) left[scene.items.find(number)->id] = number;
  AdvisedGraph graph;
  std::set<std::string> covered;
  const auto list = advice.is_object() ? advice.find("items") : advice.end();
  if (!advice.is_object() || list == advice.end() || !list->is_array() || list->empty())
    return fail(Code::invalid, "there is no list of items in it");
  for (Json item : *list) {
    const std::string id = item_id(item);
    if (id.empty()) return fail(Code::invalid, "an item has no id");
    if (scene.items.has(id)) return fail(Code::invalid, fmt::format("the id {} was there before", quoted(id, 64)));
    const auto replaces = texts_in(item, "replaces");
    if (replaces.empty()) return fail(Code::invalid, fmt::format("{} replaces nothing", quoted(id, 64)));
    for (const auto& each : replaces) {
      if (left.count(each) == 0)
        return fail(Code::invalid, fmt::format("{} replaces {}, which is not left", quoted(id, 64), quoted(each, 64)));
      covered.insert(each);
    }
    const auto role = item.find("role");
    if (role != item.end() && (!role->is_string() || std::find(roles.begin(), roles.end(), *role) == roles.end()))
      return fail(Code::invalid, fmt::format("{} is for a role that the phase does not have", quoted(id, 64)));
    item.erase("replaces");
    graph.items.push_back(std::move(item));
  }
  for (const auto& item : graph.items)
    for (const auto& each : item_needs(item))
      if (covered.count(each) != 0)
        return fail(Code::invalid, fmt::format("{} is blocked by {}, which is being replaced",
                                               quoted(item_id(item), 64), quoted(each, 64)));
  for (const auto& [id, number] : left) {
    if (covered.count(id) != 0) graph.replaced.push_back(number);
    if (covered.count(id) == 0 && must_be_replaced(scene, number))
      return fail(Code::invalid, fmt::format("nothing replaces {}, which is left", quoted(id, 64)));
  }
  std::sort(graph.replaced.begin(), graph.replaced.end());
  // What they may wait for beside each other has passed, is under way, or is the owner's matter.
  std::set<std::string> known;
  for (const auto& item : scene.items.list())
    if (item.status != RunItem::Status::failed && item.status != RunItem::Status::replaced) known.insert(item.id);
  graph.items = TRY(in_order(
      std::move(graph.items), [&](const std::string& id) { return known.count(id) != 0; }, scene.items.size() + 1));
  return graph;
}

}  // namespace teamster::workflow
