#include "verify/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"

namespace teamster::verify {
namespace {

// Text that any JSON can carry.
std::string readable(const std::string& text) {
  if (!find_invalid_utf8(text)) return text;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::vector<std::string> texts_in(const Json& object, std::string_view name) {
  std::vector<std::string> texts;
  for (const auto& item : list_in(object, name))
    if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

void put_result(Json& json, const CriterionResult& result) {
  json["outcome"] = to_string(result.outcome);
  json["took_ms"] = to_ms(result.took);
  if (!result.why.empty()) json["why"] = readable(result.why);
  if (!result.output.empty()) json["output"] = readable(result.output);
  if (result.is_cut) json["output_cut"] = true;
  if (!result.evidence.empty()) json["evidence"] = result.evidence;
  if (!result.remarks.empty()) json["remarks"] = result.remarks;
  if (result.changed.empty()) return;
  Json changed = Json::array();
  for (const auto& path : result.changed) changed.push_back(readable(path));
  json["changed_tree"] = std::move(changed);
}

Result<CriterionResult> read_result(const Json& json) {
  CriterionResult result{.id = TRY(string_field(json, "id"))};
  const std::string outcome = TRY(string_field(json, "outcome"));
  bool is_known = false;
  for (const Outcome one : {Outcome::passed, Outcome::failed, Outcome::not_checked, Outcome::left_out})
    if (outcome == to_string(one)) {
      result.outcome = one;
      is_known = true;
    }
  if (!is_known) return fail(Code::invalid, fmt::format("unknown outcome {} of {}", quoted(outcome, 40), result.id));
  result.why = raw_text_in(json, "why");
  result.output = raw_text_in(json, "output");
  result.is_cut = flag_in(json, "output_cut");
  result.evidence = texts_in(json, "evidence");
  result.remarks = raw_text_in(json, "remarks");
  result.changed = texts_in(json, "changed_tree");
  result.took = std::chrono::milliseconds(number_in(json, "took_ms"));
  return result;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    case Outcome::not_checked:
      return "not_checked";
    case Outcome::left_out:
      return "left_out";
  }
  return "";
}

std::size_t Report::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(results, outcome, &CriterionResult::outcome));
}

const CriterionResult* Report::find(std::string_view id) const {
  const auto found = std::ranges::find(results, id, &CriterionResult::id);
  return found == results.end() ? nullptr : &*found;
}

Json criterion_json(const Criterion& criterion) {
  Json json = {{"id", criterion.id},
               {"text", criterion.text},
               {"line", criterion.line},
               {"method", to_string(criterion.method)}};
  if (const auto deliverable = criterion.deliverable()) json["deliverable"] = *deliverable;
  if (!criterion.command.empty()) json["command"] = criterion.command;
  if (!criterion.agent.empty()) json["agent"] = criterion.agent;
  if (!criterion.model.empty()) json["model"] = criterion.model;
  if (!criterion.prompt.empty()) json["prompt"] = criterion.prompt;
  if (!criterion.covered_by.empty()) json["covered_by"] = criterion.covered_by;
  if (!criterion.amendment.empty()) json["amendment"] = criterion.amendment;
  return json;
}

Json manifest_json(const Manifest& manifest) {
  Json criteria = Json::array();
  for (const auto& criterion : manifest.criteria) criteria.push_back(criterion_json(criterion));
  Json amendments = Json::array();
  for (const auto& amendment : manifest.amendments)
    amendments.push_back({{"title", amendment.title},
                          {"line", amendment.line},
                          {"historical", amendment.is_historical},
                          {"added", amendment.added},
                          {"changed", amendment.changed}});
  Json deliverables = Json::array();
  for (const auto& deliverable : manifest.deliverables)
    deliverables.push_back({{"number", deliverable.number}, {"title", deliverable.title}});
  return {{"title", manifest.title},
          {"supersedes", manifest.supersedes},
          {"deliverables", std::move(deliverables)},
          {"amendments", std::move(amendments)},
          {"criteria", std::move(criteria)}};
}

Json errors_json(const ParsedManifest& parsed) {
  Json errors = Json::array();
  for (const auto& error : parsed.errors) errors.push_back({{"line", error.line}, {"what", error.what}});
  return errors;
}

Json report_json(const Manifest& manifest, const Report& report) {
  Json criteria = Json::array();
  for (const auto& result : report.results) {
    const Criterion* criterion = manifest.find(result.id);
    Json json = criterion != nullptr ? criterion_json(*criterion) : Json{{"id", result.id}};
    put_result(json, result);
    criteria.push_back(std::move(json));
  }
  Json disturbances = Json::array();
  for (const auto& one : report.disturbances) {
    Json paths = Json::array();
    for (const auto& path : one.paths) paths.push_back(readable(path));
    disturbances.push_back({{"paths", std::move(paths)}, {"while", one.suspects}});
  }
  Json json = {{"passed", report.passed()},
               {"counts",
                {{"passed", report.count(Outcome::passed)},
                 {"failed", report.count(Outcome::failed)},
                 {"not_checked", report.count(Outcome::not_checked)},
                 {"left_out", report.count(Outcome::left_out)}}},
               {"criteria", std::move(criteria)},
               {"disturbances", std::move(disturbances)}};
  if (!report.changed_in_review.empty()) {
    json["changed_in_review"] = Json::array();
    for (const auto& path : report.changed_in_review) json["changed_in_review"].push_back(readable(path));
  }
  if (!report.not_watched.empty()) json["tree_not_watched"] = readable(report.not_watched);
  return json;
}

Result<Report> read_report(const Json& json) {
  Report report;
  for (const auto& one : list_in(json, "criteria")) report.results.push_back(TRY(read_result(one)));
  for (const auto& one : list_in(json, "disturbances"))
    report.disturbances.push_back({texts_in(one, "paths"), texts_in(one, "while")});
  report.changed_in_review = texts_in(json, "changed_in_review");
  report.not_watched = raw_text_in(json, "tree_not_watched");
  return report;
}

std::string failures_text(const Manifest& manifest, const Report& report) {
  std::string text;
  for (const auto& result : report.results) {
    if (result.outcome == Outcome::passed || result.outcome == Outcome::left_out) continue;
    const Criterion* criterion = manifest.find(result.id);
    text += fmt::format("{} {}: {}\n", result.id, result.outcome == Outcome::failed ? "failed" : "was not checked",
                        result.why);
    if (criterion != nullptr) text += fmt::format("  it must hold: {}\n", criterion->text);
    for (const auto& item : result.evidence) text += fmt::format("  - {}\n", item);
    if (!result.output.empty()) text += fmt::format("  output:\n{}\n", readable(result.output));
  }
  return text;
}

}  // namespace teamster::verify
