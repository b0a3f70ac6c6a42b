// Items: each phase that has some gets them from a list that can be there by then, and what sends them back names them.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"
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

void check_origin(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  const Spot spot = checking.phase(index).at("items");
  check_text(checking, spot.at("checklist"), items.checklist, {});
  check_inside(checking, spot.at("checklist"), items.checklist);
  check_text(checking, spot.at("members"), items.members_text, {});
  if (!items.source) return;
  const Source& source = *items.source;
  check_list(checking, spot.at("from"), source, "items");
  const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
  if (from && !checking.flow.reaches(*from, index))
    return checking.problem(spot.at("from"),
                            fmt::format("the phase '{}' cannot have run before this one", source.name));
  // A list that nobody has made is as good as an empty one: all would be done at once.
  for (const auto& route : checking.flow.routes())
    if (from && !route.entry.empty() && checking.flow.reachable(route)[index] && !checking.flow.reachable(route, index)[*from])
      checking.problem(spot.at("from"), fmt::format("by the entry '{}' the phase '{}' cannot have run before this one",
                                                    route.entry, source.name));
}

// What sends items back comes from a phase from which the run comes back here, and names them.
void check_findings(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  if (!items.findings) return;
  const Source& source = *items.findings;
  const Spot spot = checking.phase(index).at("items").at("findings");
  const auto entry = check_list(checking, spot.at("from"), source, "findings");
  const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
  if (from && !checking.flow.reaches(*from, index))
    checking.problem(spot.at("from"), fmt::format("no way leads back here from the phase '{}'", source.name));
  if (entry && !items.finding_item.empty() && !entry->field(items.finding_item))
    checking.problem(spot.at("item"), fmt::format("the findings have no field '{}'{}", items.finding_item,
                                                  suggestion(items.finding_item, entry->field_names())));
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
