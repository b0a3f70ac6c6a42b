// The series of a workflow: its items in the project, in the order of their dependencies, and
// how far each one's ledger says it is. Functions on values; read anew each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "project/item_names.h"
#include "project/ledger.h"
#include "project/project.h"
#include "project/project_values.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

struct SeriesItem {
  std::string argument;
  std::string path;
  std::vector<std::string> dependencies;  // their arguments
  std::optional<LedgerStatus> status;     // nullopt: not begun
};

struct SeriesInOrder {
  std::vector<SeriesItem> items;        // each after those it depends on and else by their arguments
  std::vector<std::string> references;  // paths of what others only refer to; never a dependency that is waited for
};

// `others` are the run's other arguments. An unknown dependency and a cycle are errors that name it.
Result<SeriesInOrder> series_in_order(const Project& project, const workflow::Workflow& workflow,
                                      const Given& others = {});

// A file without the heading that the series requires: there is nothing to do for it.
Result<bool> is_reference(const Project& project, const workflow::Series& series, const std::string& path);

// What the file of an item names under a heading; none without the heading.
Result<std::vector<std::string>> dependencies_in(const Project& project, const ItemNames& names,
                                                 const std::string& path, const std::string& heading);

// Code::invalid when the workflow has no ledger.
Result<std::optional<LedgerStatus>> item_status(const Project& project, const workflow::Workflow& workflow,
                                                const std::string& item, const Given& others);

}  // namespace teamster::engine
