#include "agent/report.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"

namespace teamster::agent {
namespace {

std::string refused_file(const std::string& directory) { return directory + "/refused-report.json"; }

Json read_file_of_report(env::Files& files, const std::string& path) {
  const auto text = files.read(path, limits::kFrameMaxBytes);
  if (!text) return {};
  auto json = parse_json(*text, {.max_bytes = limits::kFrameMaxBytes});
  return json && json->is_object() ? *std::move(json) : Json();
}

}  // namespace

std::string report_file_in(const std::string& member_directory) { return member_directory + "/report.json"; }

Report read_report(env::Files& files, const std::string& member_directory) {
  Report report;
  Json taken = read_file_of_report(files, report_file_in(member_directory));
  if (taken.contains("result")) report.result = std::move(taken["result"]);
  const Json refused = read_file_of_report(files, refused_file(member_directory));
  for (const auto& problem : list_in(refused, "problems"))
    if (problem.is_string()) report.problems.push_back(problem);
  return report;
}

void forget_report(env::Files& files, const std::string& member_directory) {
  (void)files.remove_tree(report_file_in(member_directory));
  (void)files.remove_tree(refused_file(member_directory));
}

}  // namespace teamster::agent
