#include "rehearsal/fault_record.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"

namespace teamster::cli {
namespace {

std::string faults_file(const std::string& directory) { return directory + "/faults.json"; }

}  // namespace

std::string FaultRecord::struck_file(std::size_t index) const {
  return fmt::format("{}/struck-{}", directory_, index + 1);
}

Result<void> FaultRecord::save(const std::vector<StagedFault>& faults) const {
  Json list = Json::array();
  for (const auto& fault : faults) list.push_back(fault.text());
  return files_->replace(faults_file(directory_), dump_json(list), 0600);
}

std::vector<StagedFault> FaultRecord::load() const {
  const auto text = files_->read(faults_file(directory_), limits::kMetadataMaxBytes);
  const auto list = text ? parse_json(*text) : Result<Json>(Json());
  std::vector<StagedFault> faults;
  if (!list || !list->is_array()) return faults;
  for (const auto& each : *list) {
    auto fault =
        each.is_string() ? StagedFault::parse(each.get<std::string>()) : Result<StagedFault>(fail(Code::invalid, ""));
    if (!fault) return {};
    faults.push_back(*std::move(fault));
  }
  return faults;
}

Result<bool> FaultRecord::take(std::size_t index) const {
  return files_->create_exclusively(struck_file(index), "", 0600);
}

std::vector<StagedFault> FaultRecord::never_struck() const {
  std::vector<StagedFault> left;
  const auto faults = load();
  for (std::size_t index = 0; index < faults.size(); ++index) {
    const auto struck = files_->status(struck_file(index));
    if (!struck || !*struck) left.push_back(faults[index]);
  }
  return left;
}

}  // namespace teamster::cli
