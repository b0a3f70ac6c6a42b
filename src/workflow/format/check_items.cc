// Items: each phase that has some gets them from a list that can be there by then, and what sends them back names them.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/checking.h"
#include "workflow/format/item_order.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

// Of the sources of words only some are lists.
bool can_be_list(const Checking& checking, const Source& source) {
  if (source.kind == Source::Kind::answer) return true;
  if (source.kind != Source::Kind::value) return false;
  for (const auto& value : checking.workflow.values)
    if (value.name == source.name) return value.kind == Value::Kind::files;
  return true;  // that there is none of this name is a problem of its own
}

// The shape of its entries.
std::optional<Shape> check_list(const Checking& checking, const Spot& spot, const Source& source,
                                const std::string& what) {
  const auto shape = check_source(checking, spot, source, {.answers = true});
  if (!shape) return std::nullopt;
  if (!can_be_list(checking, source)) {
    checking.problem(spot, fmt::format("{} need a list: an answer's, as in PHASE/FIELD, or a value of `files`, and {} "
                                       "is none",
                                       what, source_text(source)));
    return std::nullopt;
  }
  auto entries = shape->entries();
  if (!entries) checking.problem(spot, fmt::format("{} need a list, and {} is none", what, source_text(source)));
  return entries;
}

// The files of an item are a list of texts in it.
void check_owned(const Checking& checking, const Spot& spot, const std::string& owns, const Shape& item) {
  if (owns.empty()) return;
  const auto field = item.field(owns);
  const auto paths = field ? field->entries() : std::nullopt;
  if (!field)
    checking.problem(spot, fmt::format("the items have no field '{}'{}", owns, suggestion(owns, item.field_names())));
  else if (!paths || !paths->can_be("a/path"))
    checking.problem(spot, fmt::format("the field '{}' of the items is no list of paths", owns));
}

// Items that the workflow itself lists have names of their own, are for roles of the phase, and wait for others of the
// list that do not wait for them.
void check_fixed(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const Spot whole = checking.phase(index).at("items");
  const Spot list = whole.is_list() ? whole : whole.at("list");
  if (const auto ordered = in_order(phase.items->fixed); !ordered) checking.problem(list, ordered.error().what);
  if (phase.kind != Phase::Kind::fanout) return;
  std::vector<std::string> roles = phase.roles;
  if (!phase.role.empty()) roles.push_back(phase.role);
  for (std::size_t i = 0; i < phase.items->fixed.size(); ++i) {
    const Json& item = phase.items->fixed[i];
    const auto wanted = item.is_object() ? item.find("role") : item.end();
    const std::string role = wanted != item.end() && wanted->is_string() ? wanted->get<std::string>() : "";
    if (!role.empty() && std::find(roles.begin(), roles.end(), role) == roles.end())
      checking.problem(list.at(i).at("role"),
                       fmt::format("the phase has no role '{}'{}", role, suggestion(role, roles)));
    const auto owned = item.is_object() ? item.find(phase.items->owns) : item.end();
    if (!phase.items->owns.empty() && (owned == item.end() || !owned->is_array()))
      checking.problem(list.at(i), fmt::format("the item has no list '{}'", phase.items->owns));
  }
}

void check_origin(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  const Spot spot = checking.phase(index).at("items");
  check_text(checking, spot.at("checklist"), items.checklist, {});
  check_inside(checking, spot.at("checklist"), items.checklist);
  check_text(checking, spot.at("criteria"), items.criteria, {.answers = true});
  check_fixed(checking, index);
  if (!items.source) return;
  std::vector<Source> sources = items.or_from;
  sources.insert(sources.begin(), *items.source);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const Spot here = sources.size() > 1 ? spot.at("from").at(i) : spot.at("from");
    const auto entry = check_list(checking, here, source, "items");
    if (entry) check_owned(checking, spot.at("owns"), items.owns, *entry);
    const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
    if (from && !checking.flow.reaches(*from, index)) {
      checking.problem(here, fmt::format("the phase '{}' cannot have run before this one", source.name));
      continue;
    }
    // A list that nobody has made is as good as an empty one: all would be done at once.
    for (const auto& route : checking.flow.routes())
      if (from && sources.size() == 1 && !route.entry.empty() && checking.flow.reachable(route)[index] &&
          !checking.flow.reachable(route, index)[*from])
        checking.problem(here, fmt::format("by the entry '{}' the phase '{}' cannot have run before this one",
                                           route.entry, source.name));
  }
}

// What sends items back comes from a phase from which the run comes back here, and names them.
void check_findings(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  if (!items.findings) return;
  std::vector<Source> sources = items.more_findings;
  sources.insert(sources.begin(), *items.findings);
  const Spot spot = checking.phase(index).at("items").at("findings");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const Spot here = sources.size() > 1 ? spot.at("from").at(i) : spot.at("from");
    const auto entry = check_list(checking, here, source, "findings");
    const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
    if (from && !checking.flow.reaches(*from, index))
      checking.problem(here, fmt::format("no way leads back here from the phase '{}'", source.name));
    if (entry && !items.finding_item.empty() && !entry->field(items.finding_item))
      checking.problem(spot.at("item"), fmt::format("the findings have no field '{}'{}", items.finding_item,
                                                    suggestion(items.finding_item, entry->field_names())));
  }
}

}  // namespace

void check_items(const Checking& checking) {
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i) {
    if (!checking.workflow.phases[i].items) continue;
    check_origin(checking, i);
    check_findings(checking, i);
  }
}

}  // namespace teamster::workflow
