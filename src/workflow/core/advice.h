// Advice: another task graph for the items of a phase, proposed by an advisor when several members are in trouble.
// What it is asked, the shape of its answer, and the rules by which a proposal may take the place of what there is:
// nothing that has passed or is under way changes, nothing that is left is forgotten, and the graph can be done. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "workflow/core/run_items.h"
#include "workflow/core/run_state.h"

namespace teamster::workflow {

// Name of the schema that an advisor's answer has; see schema_text.
inline constexpr const char* kAdviceSchema = "builtin:advice.json";
// The text of such a schema; null: the name is of a file in the bundle.
const std::string* builtin_schema(const std::string& name);

// What there is, and what was tried.
struct AdviceScene {
  const RunItems& items;
  std::set<std::int64_t> under_way = {};  // numbers of items that somebody works on
  std::set<std::int64_t> parked = {};     // that the owner was asked about
  const std::map<std::string, RunTries>& tries;
  std::string phase;
  std::int64_t last = 0;        // number of the item for which the advisor is asked; 0: it is not known any more
  std::string last_error = {};  // of that item
};
// Whether nothing would be done for the item if a proposal left it out. What the owner was asked about may be replaced,
// and need not be.
bool must_be_replaced(const AdviceScene& scene, std::int64_t number);

std::string advice_request(const AdviceScene& scene);

struct AdvisedGraph {
  std::vector<std::int64_t> replaced;  // numbers of items that are not done any more
  std::vector<Json> items;             // come instead, in an order in which they can be done
};
// Code::invalid says which rule the proposal breaks.
Result<AdvisedGraph> advised_items(const AdviceScene& scene, const Json& advice, const std::vector<std::string>& roles);

}  // namespace teamster::workflow
