#include "engine/item_list_reading.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "project/checklist.h"
#include "verify/manifest.h"
#include "verify/reviewers.h"
#include "verify/verify_limits.h"

namespace teamster::engine {
namespace {

using workflow::command::ReadItems;

Result<Json> open_boxes(const Project& project, const ReadItems& wanted) {
  const auto text = TRY(read_text(project, wanted.checklist));
  if (!text)
    return fail(Code::not_found, fmt::format("there is no {}", wanted.checklist),
                "Write it, with a line `- [ ] …` for each item");
  Json list = Json::array();
  for (const auto& item : next_items(*text, wanted.group, wanted.left_out))
    list.push_back({{"number", item.number}, {"text", item.text}});
  const auto all = read_checklist(*text, wanted.group);
  const auto ticked = std::count_if(all.begin(), all.end(), [](const ChecklistItem& item) { return item.is_checked; });
  return Json{{"items", std::move(list)}, {"boxes", all.size()}, {"ticked", ticked}};
}

// Those that somebody must judge; commands are for a check.
Result<Json> judged_criteria(const Project& project, const std::string& path) {
  const std::string place = path.starts_with('/') ? path : project.directory + "/" + path;
  const verify::ParsedManifest parsed =
      verify::parse_manifest(TRY(project.files.read(place, verify::kManifestMaxBytes)));
  if (parsed.is_valid()) return verify::review_items(parsed.manifest);
  const auto& first = parsed.errors.front();
  return fail(Code::invalid, fmt::format("{}:{}: {}", path, first.line, first.what),
              "`teamster verify` tells all that is wrong with it");
}

}  // namespace

Result<Json> read_item_list(const Project& project, const ReadItems& wanted) {
  return wanted.criteria.empty() ? open_boxes(project, wanted) : judged_criteria(project, wanted.criteria);
}

}  // namespace teamster::engine
