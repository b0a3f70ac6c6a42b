// Checker: one check of one value against the nodes of a schema. Counts its steps and levels, so
// that it ends soon whatever schema and value are. Lives for that check, on the thread that asks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/node.h"

namespace teamster::schema {

class Checker {
 public:
  explicit Checker(const Nodes& nodes) : nodes_(nodes) {}
  // What Schema::check says.
  std::vector<std::string> run(const Json& value);

 private:
  bool conforms(NodeNumber number, const Json& value);
  // Without a word.
  bool conforms_quietly(NodeNumber number, const Json& value);

  // One for each kind of rule.
  bool holds(const Never& rule, const Json& value);
  bool holds(const Types& rule, const Json& value);
  bool holds(const Choice& rule, const Json& value);
  bool holds(const Bound& rule, const Json& value);
  bool holds(const Amount& rule, const Json& value);
  bool holds(const Matching& rule, const Json& value);
  bool holds(const Items& rule, const Json& value);
  bool holds(const Contains& rule, const Json& value);
  bool holds(const UniqueItems& rule, const Json& value);
  bool holds(const Required& rule, const Json& value);
  bool holds(const Properties& rule, const Json& value);
  bool holds(const PropertyNames& rule, const Json& value);
  bool holds(const Dependent& rule, const Json& value);
  bool holds(const Reference& rule, const Json& value);
  bool holds(const AllOf& rule, const Json& value);
  bool holds(const AnyOf& rule, const Json& value);
  bool holds(const OneOf& rule, const Json& value);
  bool holds(const Not& rule, const Json& value);
  bool holds(const Condition& rule, const Json& value);

  bool all_conform(const std::vector<NodeNumber>& nodes, const Json& value);
  bool property_conforms(const Properties& rule, const std::string& name, const Json& value);
  bool is_found(const Pattern& pattern, const std::string& text);
  bool is_equal(const Json& a, const Json& b);

  void spend(std::size_t steps);
  // Nothing that follows would be told.
  bool is_over() const;
  // After a failure: quiet ones need no second.
  bool goes_on() const { return !is_quiet_ && !is_over(); }
  // Tells what words() returns, if anybody listens. Always false, for who returns it.
  template <class Words>
  bool problem(const Words& words);
  void tell(const std::string& what);
  std::string place() const;

  // A step from a value to a part of it.
  struct Step {
    const std::string* name;  // null: a list's
    std::size_t index;
  };

  const Nodes& nodes_;
  std::vector<Step> path_;
  const std::string* property_name_ = nullptr;  // the name that is looked at instead of a value
  bool is_quiet_ = false;
  std::size_t steps_ = 0;
  std::size_t levels_ = 0;
  std::string given_up_;  // why, once that is so
  std::vector<std::string> problems_;
};

}  // namespace teamster::schema
