// What the entries of a workflow mean: which there are, what each takes, and how far it goes. Pure; for the command
// line, for checks and for whoever decides what follows in a run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

// Null when there is none of this name.
const Entry* find_entry(const Workflow& workflow, std::string_view name);
std::vector<std::string> entry_names(const Workflow& workflow);

// The words that follow the entry, or all arguments where it is null.
std::vector<const Argument*> arguments_of(const Workflow& workflow, const Entry* entry);

// The flags that may be given with the entry, or all where it is null.
std::vector<const Flag*> flags_of(const Workflow& workflow, const Entry* entry);

// The phase that a run begins with and its last one: where it would go on behind that, it is done. Of a name that is
// none, the whole list.
struct Extent {
  std::size_t first = 0;  // places in Workflow::phases, which is not empty
  std::size_t last = 0;
};
Extent extent_of(const Workflow& workflow, std::string_view entry);

// Ids of the phases that a run can come to by this entry. Of a name that is none, all.
std::vector<std::string> phases_within(const Workflow& workflow, std::string_view entry);

// The roles of the phases that a run can come to by this entry, and of their advisors. Of a name that is none, all.
std::set<std::string> roles_within(const Workflow& workflow, std::string_view entry);

}  // namespace teamster::workflow
