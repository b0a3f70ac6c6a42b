// Items: each phase that has some gets them from a list that can be there by then, and what sends them back names them.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
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

// What an item of the workflow itself says about its role can be known before a run.
void check_fixed(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const auto roles = phase.roles.empty() ? std::vector{phase.role} : phase.roles;
  const Spot items = checking.phase(index).at("items");
  for (std::size_t i = 0; i < phase.items->fixed.size(); ++i) {
    const Json& item = phase.items->fixed[i];
    if (!item.is_object()) continue;
    const auto role = item.find("role");
    if (role != item.end() && std::find(roles.begin(), roles.end(), *role) == roles.end())
      checking.problem(items.at("list").at(i).at("role"),
                       fmt::format("this phase has no role {}: it has {}", dump_json(*role), join(roles, ", ")));
    const auto owned = item.find(phase.items->owns);
    if (!phase.items->owns.empty() && (owned == item.end() || !owned->is_array()))
      checking.problem(items.at("list").at(i), fmt::format("the item has no list '{}'", phase.items->owns));
  }
}

void check_origin(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  const Spot spot = checking.phase(index).at("items");
  check_text(checking, spot.at("checklist"), items.checklist, {});
  check_inside(checking, spot.at("checklist"), items.checklist);
  if (!items.fixed.empty()) check_fixed(checking, index);
  if (!items.source) return;
  std::vector<Source> sources = items.or_from;
  sources.insert(sources.begin(), *items.source);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const Spot here = sources.size() > 1 ? spot.at("from").at(i) : spot.at("from");
    const auto entry = check_list(checking, here, source, "items");
    const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
    if (from && !checking.flow.reaches(*from, index))
      checking.problem(here, fmt::format("the phase '{}' cannot have run before this one", source.name));
    if (entry) check_owned(checking, spot.at("owns"), items.owns, *entry);
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
