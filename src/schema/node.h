// Node: one schema of a compiled document, as a list of rules in the order in which they are
// asked. Nodes know each other by number, so a document may refer to itself. Made by the
// compiler, read by the checker; never changed in between.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/pattern.h"

namespace teamster::schema {

using NodeNumber = std::size_t;

inline constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

// The schema `false`.
struct Never {};

struct Types {
  std::vector<std::string> names;
};

// enum, and const as a choice of one.
struct Choice {
  std::vector<Json> values;
  std::string text;  // the values in words
};

struct Bound {
  enum class Kind { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of };
  Kind kind;
  Json number;
};

// minLength, maxItems and the like.
struct Amount {
  enum class Of { characters, items, properties };
  Of of;
  bool is_least;
  std::size_t bound;
};

struct Matching {
  Pattern pattern;
};

struct Items {
  std::vector<NodeNumber> first;
  std::optional<NodeNumber> rest;
};

struct Contains {
  NodeNumber node;
  std::size_t least = 1;
  std::size_t most = kUnbounded;
};

struct UniqueItems {};

struct Required {
  std::vector<std::string> names;
  std::optional<std::string> with;  // only when there is a property of this name
};

struct Properties {
  std::map<std::string, NodeNumber, std::less<>> known;
  std::vector<std::pair<Pattern, NodeNumber>> matching;
  std::optional<NodeNumber> rest;
};

struct PropertyNames {
  NodeNumber node;
};

struct Dependent {
  std::string with;  // only when there is a property of this name
  NodeNumber node;
};

struct Reference {
  NodeNumber node;
};

struct AllOf {
  std::vector<NodeNumber> nodes;
};

struct AnyOf {
  std::vector<NodeNumber> nodes;
};

struct OneOf {
  std::vector<NodeNumber> nodes;
};

struct Not {
  NodeNumber node;
};

struct Condition {
  NodeNumber condition;
  std::optional<NodeNumber> then;
  std::optional<NodeNumber> otherwise;
};

using Rule = std::variant<Never, Types, Choice, Bound, Amount, Matching, Items, Contains, UniqueItems, Required,
                          Properties, PropertyNames, Dependent, Reference, AllOf, AnyOf, OneOf, Not, Condition>;

struct SchemaNode {
  std::vector<Rule> rules;
};

// The document itself is the first.
using Nodes = std::vector<SchemaNode>;

}  // namespace teamster::schema
