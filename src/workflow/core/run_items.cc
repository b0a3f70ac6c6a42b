#include "workflow/core/run_items.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "workflow/format/template.h"

namespace teamster::workflow {
namespace {

using Status = RunItem::Status;

constexpr std::array<std::string_view, 5> kStatusWords = {"waiting", "active", "passed", "failed", "replaced"};

Status status_from(std::string_view word) {
  const auto found = std::find(kStatusWords.begin(), kStatusWords.end(), word);
  return found == kStatusWords.end() ? Status::waiting : static_cast<Status>(found - kStatusWords.begin());
}

bool is_over(Status status) { return status != Status::waiting && status != Status::active; }

}  // namespace

std::string_view to_string(Status status) { return kStatusWords[static_cast<std::size_t>(status)]; }

const RunItem* RunItems::find(std::int64_t number) const {
  return number >= 1 && number <= size() ? &list_[static_cast<std::size_t>(number - 1)] : nullptr;
}

std::int64_t RunItems::next_ready(std::int64_t after) const {
  const auto found = ready_.upper_bound(after);
  return found == ready_.end() ? 0 : *found;
}

std::vector<std::int64_t> RunItems::waiting_for(std::int64_t number) const {
  std::set<std::int64_t> seen;
  std::vector<std::int64_t> open;
  if (const RunItem* first = find(number); first != nullptr && first->status != Status::passed) open.push_back(number);
  while (!open.empty()) {
    const RunItem* one = find(open.back());
    open.pop_back();
    const auto waiters = one == nullptr ? waiters_.end() : waiters_.find(one->id);
    if (waiters == waiters_.end()) continue;
    for (const std::int64_t waiter : waiters->second)
      if (!is_over(find(waiter)->status) && seen.insert(waiter).second) open.push_back(waiter);
  }
  return {seen.begin(), seen.end()};
}

void RunItems::add(Json item, Json findings, bool begins_group) {
  RunItem entry;
  entry.id = id_or_number(item, size() + 1);
  entry.begins_group = begins_group;
  entry.needs = item_needs(item);
  entry.item = std::move(item);
  entry.findings = std::move(findings);
  add_entry(std::move(entry));
}

void RunItems::add_entry(RunItem entry) {
  const std::int64_t number = size() + 1;
  std::int64_t missing = 0;
  for (const auto& need : entry.needs) {
    const auto known = by_id_.find(need);
    if (known != by_id_.end() && find(known->second)->status == Status::passed) continue;
    ++missing;
    waiters_[need].push_back(number);
  }
  if (entry.begins_group) group_from_ = number;
  by_id_[entry.id] = number;
  missing_.push_back(missing);
  if (!is_over(entry.status)) ++left_;
  if (entry.status == Status::failed) ++failed_;
  if (entry.status == Status::waiting && missing == 0) ready_.insert(number);
  list_.push_back(std::move(entry));
}

void RunItems::begin(std::int64_t number) {
  if (find(number) == nullptr) return;
  RunItem& item = list_[static_cast<std::size_t>(number - 1)];
  if (item.status == Status::waiting) item.status = Status::active;
  ready_.erase(number);
}

void RunItems::end(std::int64_t number, Status status, Json answer, std::string why) {
  if (find(number) == nullptr) return;
  RunItem& item = list_[static_cast<std::size_t>(number - 1)];
  if (is_over(item.status)) return;
  item.status = status;
  item.answer = std::move(answer);
  item.why = std::move(why);
  ready_.erase(number);
  --left_;
  if (status == Status::failed) ++failed_;
  if (status != Status::passed) return;
  const auto waiters = waiters_.find(item.id);
  if (waiters == waiters_.end()) return;
  for (const std::int64_t waiter : waiters->second)
    if (--missing_[static_cast<std::size_t>(waiter - 1)] == 0 && find(waiter)->status == Status::waiting)
      ready_.insert(waiter);
}

void RunItems::set_task(std::int64_t number, std::string task) {
  if (find(number) != nullptr) list_[static_cast<std::size_t>(number - 1)].task = std::move(task);
}

void RunItems::clear() { *this = RunItems(); }

Json RunItems::json() const {
  Json list = Json::array();
  for (const auto& each : list_) {
    Json entry = {{"item", each.item}, {"status", to_string(each.status)}};
    if (!each.answer.is_null()) entry["answer"] = each.answer;
    if (!each.why.empty()) entry["why"] = each.why;
    if (!each.task.empty()) entry["task"] = each.task;
    if (!each.findings.is_null()) entry["findings"] = each.findings;
    if (each.begins_group) entry["begins_group"] = true;
    list.push_back(std::move(entry));
  }
  return list;
}

RunItems RunItems::from_json(const Json& json) {
  RunItems items;
  if (!json.is_array()) return items;
  for (const auto& each : json) {
    if (!each.is_object() || !each.contains("item")) continue;
    RunItem entry;
    entry.item = each.at("item");
    entry.id = id_or_number(entry.item, items.size() + 1);
    entry.needs = item_needs(entry.item);
    entry.status = status_from(each.value("status", ""));
    entry.answer = each.value("answer", Json());
    entry.why = each.value("why", "");
    entry.task = each.value("task", "");
    entry.findings = each.value("findings", Json());
    entry.begins_group = each.value("begins_group", false);
    items.add_entry(std::move(entry));
  }
  return items;
}

}  // namespace teamster::workflow
