#include "verify/reviewers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "verify/reviewer_profiles.h"

namespace teamster::verify {
namespace {

constexpr int kEvidenceItemsMax = 50;
constexpr int kEvidenceItemMaxCharacters = 4000;

}  // namespace

Json review_schema() {
  return {{"type", "object"},
          {"required", {"verdict", "evidence"}},
          {"additionalProperties", false},
          {"properties",
           {{"verdict", {{"enum", {"pass", "fail"}}}},
            {"evidence",
             {{"type", "array"},
              {"minItems", 1},
              {"maxItems", kEvidenceItemsMax},
              {"items", {{"type", "string"}, {"minLength", 1}, {"maxLength", kEvidenceItemMaxCharacters}}}}},
            {"remarks", {{"type", "string"}, {"maxLength", kEvidenceItemMaxCharacters}}}}}};
}

Result<Review> read_review(const Json& answer) {
  const std::string verdict = raw_text_in(answer, "verdict");
  if (verdict != "pass" && verdict != "fail")
    return fail(Code::failed,
                fmt::format("the verdict of the reviewer is {}, expected pass or fail", quoted(verdict, 40)));
  Review review{.passed = verdict == "pass", .evidence = {}, .remarks = raw_text_in(answer, "remarks")};
  for (const auto& item : list_in(answer, "evidence"))
    if (item.is_string()) review.evidence.push_back(item.get<std::string>());
  if (review.evidence.empty()) return fail(Code::failed, "the reviewer gave a verdict without evidence");
  return review;
}

Json review_items(const Manifest& manifest) {
  Json items = Json::array();
  for (const auto& criterion : manifest.criteria) {
    if (criterion.method != Method::subagent) continue;
    items.push_back({{"id", criterion.id},
                     {"text", criterion.text},
                     {"agent", criterion.agent},
                     {"model", criterion.model.empty() ? "default" : criterion.model},
                     {"profile", reviewer_instructions(criterion.agent).value_or("")},
                     {"request", review_request(criterion)}});
  }
  return items;
}

std::string review_request(const Criterion& criterion) {
  return fmt::format(
      "Judge one criterion of a manifest. Your working directory is the root of the repository it is about.\n\n"
      "Criterion {}: {}\n\nWhat you must judge:\n{}\n\n"
      "Look for yourself; what others say about it is no evidence. Change nothing: no file, no commit, no setting. "
      "The verdict is `pass` only when the criterion holds in full, and `fail` when it does not or when you cannot "
      "tell. Each piece of evidence names the file and line, or the command and what it printed, so that somebody who "
      "doubts it can look. What is worth saying and does not bear on the verdict goes into `remarks`.\n",
      criterion.id, criterion.text, trimmed(criterion.prompt));
}

}  // namespace teamster::verify
