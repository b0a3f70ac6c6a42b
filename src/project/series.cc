#include "project/series.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "project/ledger_place.h"
#include "project/markdown.h"

namespace teamster::engine {
namespace {

using Items = std::map<std::string, SeriesItem>;

bool is_ready(const SeriesItem& item, const Items& waiting) {
  return std::none_of(item.dependencies.begin(), item.dependencies.end(),
                      [&](const std::string& other) { return waiting.contains(other); });
}

// One of the cycles among items that all wait for each other: "03 → 05 → 03".
std::string cycle_in(const Items& waiting) {
  std::vector<std::string> way{waiting.begin()->first};
  while (true) {
    const auto& needs = waiting.at(way.back()).dependencies;
    const std::string& next =
        *std::find_if(needs.begin(), needs.end(), [&](const std::string& other) { return waiting.contains(other); });
    const auto seen = std::find(way.begin(), way.end(), next);
    if (seen != way.end()) {
      way.erase(way.begin(), seen);
      way.push_back(next);
      return join(way, " → ");
    }
    way.push_back(next);
  }
}

Result<std::vector<SeriesItem>> sorted(Items waiting) {
  std::vector<SeriesItem> order;
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const auto& entry) { return is_ready(entry.second, waiting); });
    if (ready == waiting.end())
      return fail(Code::invalid, fmt::format("the dependencies go in a circle: {}", cycle_in(waiting)),
                  "Take one of them out of its file");
    order.push_back(std::move(ready->second));
    waiting.erase(ready);
  }
  return order;
}

}  // namespace

Result<std::vector<std::string>> dependencies_in(const Project& project, const ItemNames& names,
                                                 const std::string& path, const std::string& heading) {
  const auto text = TRY(read_text(project, path));
  if (!text) return fail(Code::not_found, fmt::format("{} is missing", path));
  const auto section = section_of(*text, heading);
  if (!section) return std::vector<std::string>();
  auto named = TRY(names.named_in(join(*section, "\n")));
  for (const auto& name : named) {
    const auto found = names.paths().find(name);
    if (found == names.paths().end())
      return fail(Code::invalid, fmt::format("{} names {} under {}, and there is no such file", path, name, heading),
                  "Write it, or take it out there");
    if (found->second == path)
      return fail(Code::invalid, fmt::format("{} names itself under {}", path, heading), "Take it out there");
  }
  return named;
}

Result<std::optional<LedgerStatus>> item_status(const Project& project, const workflow::Workflow& workflow,
                                                const std::string& item, const Given& others) {
  if (!workflow.ledger || !workflow.series)
    return fail(Code::invalid,
                fmt::format("the workflow {} keeps no ledger, so nobody knows what is done", workflow.name),
                "Give it a `ledger` and a `series`");
  Given given = others;
  given.arguments[workflow.series->argument] = item;
  const auto place = TRY(ledger_place(*workflow.ledger, project.directory, sources_of(given, {})));
  const auto state = TRY(load_ledger(project.files, place));
  return state ? std::optional(state->status) : std::nullopt;
}

Result<bool> is_reference(const Project& project, const workflow::Series& series, const std::string& path) {
  if (series.required.empty()) return false;
  const auto text = TRY(read_text(project, path));
  return text && !section_of(*text, series.required);
}

Result<SeriesInOrder> series_in_order(const Project& project, const workflow::Workflow& workflow, const Given& others) {
  const auto names = TRY(ItemNames::read(project, workflow));
  SeriesInOrder order;
  Items items;
  for (const auto& [argument, path] : names.paths()) {
    if (TRY(is_reference(project, *workflow.series, path))) {
      order.references.push_back(path);
      continue;
    }
    SeriesItem item;
    item.argument = argument;
    item.path = path;
    if (!workflow.series->dependencies.empty())
      item.dependencies = TRY(dependencies_in(project, names, path, workflow.series->dependencies));
    if (workflow.ledger) item.status = TRY(item_status(project, workflow, argument, others));
    items.emplace(argument, std::move(item));
  }
  for (auto& [argument, item] : items)
    std::erase_if(item.dependencies, [&](const std::string& other) { return !items.contains(other); });
  order.items = TRY(sorted(std::move(items)));
  return order;
}

}  // namespace teamster::engine
