// RunItems: what a phase works on: its items in the order in which they can be done, what has become of each, and
// which of them can begin now. Each question costs the same however many items there are. A value, part of RunState;
// changed by the fold alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "workflow/format/item_order.h"

namespace teamster::workflow {

struct RunItem {
  enum class Status { waiting, active, passed, failed, replaced };
  Json item;
  std::string id;  // its field `id`, else its number; of one that is no object #NUMBER
  Status status = Status::waiting;
  Json answer;
  std::string why;                 // it failed
  std::string task;                // in the team's list; empty: it has none
  Json findings;                   // what was found when it had been done before; null: nothing
  std::vector<std::string> needs;  // ids of items that must pass before it begins
  bool begins_group = false;       // it is the first of a later group of a checklist
};
std::string_view to_string(RunItem::Status status);

class RunItems {
 public:
  bool empty() const { return list_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(list_.size()); }
  bool has(const std::string& id) const { return by_id_.count(id) != 0; }
  // How many there are in the group that is being done; without groups all are in one.
  std::int64_t group_size() const { return size() - group_from_ + 1; }
  // From 1. Null when there is none.
  const RunItem* find(std::int64_t number) const;
  const std::vector<RunItem>& list() const { return list_; }
  // That have neither passed nor failed.
  std::int64_t left() const { return left_; }
  std::int64_t failed() const { return failed_; }
  // The first that can begin: it waits for nobody. 0: none.
  std::int64_t next_ready(std::int64_t after = 0) const;
  // Numbers of those that cannot begin before this one has passed, directly or through others, and are not over. None
  // when it has.
  std::vector<std::int64_t> waiting_for(std::int64_t number) const;

  void add(Json item, Json findings = {}, bool begins_group = false);
  void begin(std::int64_t number);
  void end(std::int64_t number, RunItem::Status status, Json answer, std::string why);
  void set_task(std::int64_t number, std::string task);
  void clear();

  Json json() const;
  static RunItems from_json(const Json& json);

 private:
  void add_entry(RunItem entry);

  std::vector<RunItem> list_;
  // Derived from the list.
  std::map<std::string, std::int64_t> by_id_;
  std::map<std::string, std::vector<std::int64_t>> waiters_;  // by the id that they need
  std::vector<std::int64_t> missing_;                         // how many of its needs have not passed, by index
  std::set<std::int64_t> ready_;
  std::int64_t group_from_ = 1;
  std::int64_t left_ = 0;
  std::int64_t failed_ = 0;
};

// Paths in the field of an item that says what it owns, without "./" before them.
std::vector<std::string> owned_paths(const Json& item, const std::string& field);
// Each path has one owner and stays in the project; Code::invalid names both owners. With an empty field nobody owns
// anything.
Result<void> check_owners(const std::vector<Json>& items, const std::string& field);
// Whether a list could be worked on as it is: in an order, with one owner for each path, by these roles.
Result<void> checked_graph(std::vector<Json> items, const std::string& owns, const std::vector<std::string>& roles);

}  // namespace teamster::workflow
