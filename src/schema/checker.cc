#include "schema/checker.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "schema/order.h"
#include "schema/pointer.h"

namespace teamster::schema {
namespace {

// Simple work that counts as one step, and a search by name that counts as some.
constexpr std::size_t kTextBytesPerStep = 64;
constexpr std::size_t kPatternStepsPerStep = 16;
constexpr std::size_t kStepsPerSearch = 3;

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string counted(std::size_t count, Amount::Of of) {
  switch (of) {
    case Amount::Of::characters:
      return counted(count, "character", "characters");
    case Amount::Of::items:
      return counted(count, "item", "items");
    case Amount::Of::properties:
      break;
  }
  return counted(count, "property", "properties");
}

bool is_multiple(const Json& value, const Json& of) {
  if (value.is_number_unsigned() && of.is_number_unsigned())
    return value.get<std::uint64_t>() % of.get<std::uint64_t>() == 0;
  // Of 0.3 and 0.1 nobody means that they differ by a rounding.
  const double times = value.get<double>() / of.get<double>();
  return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
}

bool is_within(const Bound& bound, const Json& value) {
  if (bound.kind == Bound::Kind::multiple_of) return is_multiple(value, bound.number);
  std::size_t steps = 0;
  const int order = compare(value, bound.number, steps);
  switch (bound.kind) {
    case Bound::Kind::minimum:
      return order >= 0;
    case Bound::Kind::maximum:
      return order <= 0;
    case Bound::Kind::exclusive_minimum:
      return order > 0;
    default:
      return order < 0;
  }
}

std::string_view words(Bound::Kind kind) {
  switch (kind) {
    case Bound::Kind::minimum:
      return "from";
    case Bound::Kind::maximum:
      return "up to";
    case Bound::Kind::exclusive_minimum:
      return "above";
    case Bound::Kind::exclusive_maximum:
      return "below";
    case Bound::Kind::multiple_of:
      break;
  }
  return "that is a multiple of";
}

std::string shown(const Json& value) {
  if (value.is_string()) return quoted(value.get_ref<const std::string&>(), 60);
  return value.is_structured() ? std::string(type_of(value)) : dump_json(value);
}

}  // namespace

std::vector<std::string> Checker::run(const Json& value) {
  // Most values conform, and to look for the first problem only is faster.
  const bool is_good = conforms_quietly(0, value);
  if (is_good && given_up_.empty()) return {};
  if (given_up_.empty()) conforms(0, value);
  if (problems_.empty()) problems_.push_back(fmt::format("'#': cannot be checked: {}", given_up_));
  return std::move(problems_);
}

void Checker::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ > limits::kSchemaStepsMax && given_up_.empty())
    given_up_ = fmt::format("it takes more than {} steps with this schema", limits::kSchemaStepsMax);
}

bool Checker::is_over() const { return !given_up_.empty() || problems_.size() == limits::kSchemaProblemsMax; }

std::string Checker::place() const {
  std::string pointer = "#";
  for (const auto& [name, index] : path_) pointer += "/" + (name ? escaped_token(*name) : std::to_string(index));
  return pointer;
}

template <class Words>
bool Checker::problem(const Words& words) {
  if (!is_quiet_ && !is_over()) tell(words());
  return false;
}

void Checker::tell(const std::string& what) {
  const std::string pointer = place();
  spend(pointer.size() / kTextBytesPerStep);
  std::string text =
      property_name_ != nullptr ? fmt::format("the name {}: {}", quoted(*property_name_, 60), what) : what;
  if (text.size() > limits::kSchemaProblemMaxBytes) {
    text.resize(limits::kSchemaProblemMaxBytes);
    if (const auto broken = find_invalid_utf8(text)) text.resize(*broken);
    text += "…";
  }
  std::string line = fmt::format("{}: {}", quoted(pointer, 200), text);
  if (std::find(problems_.begin(), problems_.end(), line) == problems_.end()) problems_.push_back(std::move(line));
}

bool Checker::conforms(NodeNumber number, const Json& value) {
  spend(1);
  if (levels_ == limits::kSchemaLevelsMax && given_up_.empty())
    given_up_ = fmt::format("more than {} schemas lie within each other", limits::kSchemaLevelsMax);
  if (is_over()) return false;
  ++levels_;
  bool is_good = true;
  for (const Rule& rule : nodes_[number].rules) {
    if (std::visit([&](const auto& each) { return holds(each, value); }, rule)) continue;
    is_good = false;
    if (!goes_on() || std::holds_alternative<Types>(rule)) break;
  }
  --levels_;
  return is_good;
}

bool Checker::conforms_quietly(NodeNumber number, const Json& value) {
  const bool was_quiet = std::exchange(is_quiet_, true);
  const bool is_good = conforms(number, value);
  is_quiet_ = was_quiet;
  return is_good;
}

bool Checker::is_equal(const Json& a, const Json& b) {
  std::size_t steps = 0;
  const bool is_same = compare(a, b, steps) == 0;
  spend(steps);
  return is_same;
}

bool Checker::is_found(const Pattern& pattern, const std::string& text) {
  spend((text.size() + 1) * (pattern.steps_per_byte() + kPatternStepsPerStep) / kPatternStepsPerStep);
  return !is_over() && pattern.search(text);
}

bool Checker::holds(const Never&, const Json&) {
  return problem([] { return "is not allowed here"; });
}

bool Checker::holds(const Types& rule, const Json& value) {
  for (const auto& name : rule.names)
    if (is_of_type(value, name)) return true;
  return problem([&] { return fmt::format("expected {}, got {}", join(rule.names, " or "), type_of(value)); });
}

bool Checker::holds(const Choice& rule, const Json& value) {
  for (const auto& each : rule.values) {
    if (is_equal(value, each)) return true;
    if (is_over()) return false;
  }
  return problem([&] { return fmt::format("expected {}, got {}", rule.text, shown(value)); });
}

bool Checker::holds(const Bound& rule, const Json& value) {
  if (!value.is_number() || is_within(rule, value)) return true;
  return problem([&] {
    return fmt::format("expected a number {} {}, got {}", words(rule.kind), dump_json(rule.number), dump_json(value));
  });
}

bool Checker::holds(const Amount& rule, const Json& value) {
  std::size_t amount = 0;
  if (rule.of == Amount::Of::characters) {
    if (!value.is_string()) return true;
    const auto& text = value.get_ref<const std::string&>();
    spend(text.size() / kTextBytesPerStep);
    amount = characters_in(text);
  } else {
    const bool is_meant = rule.of == Amount::Of::items ? value.is_array() : value.is_object();
    if (!is_meant) return true;
    amount = value.size();
  }
  if (rule.is_least ? amount >= rule.bound : amount <= rule.bound) return true;
  return problem([&] {
    return fmt::format("expected at {} {}, got {}", rule.is_least ? "least" : "most", counted(rule.bound, rule.of),
                       amount);
  });
}

bool Checker::holds(const Matching& rule, const Json& value) {
  if (!value.is_string()) return true;
  const auto& text = value.get_ref<const std::string&>();
  if (is_found(rule.pattern, text)) return true;
  return problem([&] {
    return fmt::format("expected a text that matches {}, got {}", quoted(rule.pattern.expression(), 100),
                       quoted(text, 60));
  });
}

bool Checker::holds(const Items& rule, const Json& value) {
  if (!value.is_array()) return true;
  bool is_good = true;
  const std::size_t count = rule.rest ? value.size() : std::min(value.size(), rule.first.size());
  for (std::size_t i = 0; i < count && (is_good || goes_on()); ++i) {
    path_.push_back({nullptr, i});
    is_good = conforms(i < rule.first.size() ? rule.first[i] : *rule.rest, value[i]) && is_good;
    path_.pop_back();
  }
  return is_good;
}

bool Checker::holds(const Contains& rule, const Json& value) {
  if (!value.is_array()) return true;
  std::size_t count = 0;
  for (const auto& each : value) {
    if (is_over() || count > rule.most || (count >= rule.least && rule.most == kUnbounded)) break;
    if (conforms_quietly(rule.node, each)) ++count;
  }
  if (count >= rule.least && count <= rule.most) return true;
  if (count < rule.least)
    return problem([&] {
      return fmt::format("expected at least {} as \"contains\" says, got {}", counted(rule.least, Amount::Of::items),
                         count);
    });
  return problem([&] {
    return fmt::format("expected at most {} as \"contains\" says, got more", counted(rule.most, Amount::Of::items));
  });
}

bool Checker::holds(const UniqueItems&, const Json& value) {
  if (!value.is_array()) return true;
  const auto is_less = [this](const Json* a, const Json* b) {
    std::size_t steps = 0;
    const int order = compare(*a, *b, steps);
    spend(steps);
    return order < 0;
  };
  std::map<const Json*, std::size_t, decltype(is_less)> seen(is_less);
  for (std::size_t i = 0; i < value.size() && !is_over(); ++i) {
    const auto added = seen.emplace(&value[i], i);
    if (added.second) continue;
    return problem([&] {
      return fmt::format("expected items that differ, but those at {} and {} are equal", added.first->second, i);
    });
  }
  return true;
}

bool Checker::holds(const Required& rule, const Json& value) {
  if (!value.is_object() || (rule.with && !value.contains(*rule.with))) return true;
  spend(rule.names.size() * kStepsPerSearch);
  bool is_good = true;
  for (const auto& name : rule.names) {
    if (value.contains(name)) continue;
    is_good = false;
    if (!goes_on()) break;
    problem([&] {
      const std::string text = fmt::format("missing required property {}", quoted(name, 100));
      return rule.with ? fmt::format("{}, as there is {}", text, quoted(*rule.with, 100)) : text;
    });
  }
  return is_good;
}

bool Checker::property_conforms(const Properties& rule, const std::string& name, const Json& value) {
  bool is_named = false;
  bool is_good = true;
  if (const auto known = rule.known.find(name); known != rule.known.end()) {
    is_named = true;
    is_good = conforms(known->second, value);
  }
  for (const auto& [pattern, node] : rule.matching) {
    if (!is_good && !goes_on()) return false;
    if (!is_found(pattern, name)) continue;
    is_named = true;
    is_good = conforms(node, value) && is_good;
  }
  return is_named || !rule.rest ? is_good : conforms(*rule.rest, value);
}

bool Checker::holds(const Properties& rule, const Json& value) {
  if (!value.is_object()) return true;
  bool is_good = true;
  spend(value.size());
  for (auto each = value.begin(); each != value.end() && (is_good || goes_on()); ++each) {
    path_.push_back({&each.key(), 0});
    is_good = property_conforms(rule, each.key(), *each) && is_good;
    path_.pop_back();
  }
  return is_good;
}

bool Checker::holds(const PropertyNames& rule, const Json& value) {
  if (!value.is_object()) return true;
  bool is_good = true;
  for (auto each = value.begin(); each != value.end() && (is_good || goes_on()); ++each) {
    spend(each.key().size() / kTextBytesPerStep);
    property_name_ = &each.key();
    is_good = conforms(rule.node, Json(each.key())) && is_good;
    property_name_ = nullptr;
  }
  return is_good;
}

bool Checker::holds(const Dependent& rule, const Json& value) {
  return !value.is_object() || !value.contains(rule.with) || conforms(rule.node, value);
}

bool Checker::holds(const Reference& rule, const Json& value) { return conforms(rule.node, value); }

bool Checker::all_conform(const std::vector<NodeNumber>& nodes, const Json& value) {
  bool is_good = true;
  for (const NodeNumber node : nodes) {
    if (conforms(node, value)) continue;
    is_good = false;
    if (!goes_on()) break;
  }
  return is_good;
}

bool Checker::holds(const AllOf& rule, const Json& value) { return all_conform(rule.nodes, value); }

bool Checker::holds(const AnyOf& rule, const Json& value) {
  for (const NodeNumber node : rule.nodes)
    if (conforms_quietly(node, value)) return true;
  if (!is_quiet_) all_conform(rule.nodes, value);  // says what each of them misses
  return false;
}

bool Checker::holds(const OneOf& rule, const Json& value) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < rule.nodes.size() && good.size() < 2; ++i)
    if (conforms_quietly(rule.nodes[i], value)) good.push_back(i);
  if (good.size() == 1) return true;
  if (good.size() == 2)
    return problem([&] {
      return fmt::format("expected to conform to one schema of \"oneOf\", but does to those at {} and {}", good[0],
                         good[1]);
    });
  if (!is_quiet_) all_conform(rule.nodes, value);
  return false;
}

bool Checker::holds(const Not& rule, const Json& value) {
  return !conforms_quietly(rule.node, value) || problem([] { return "expected anything but what \"not\" says"; });
}

bool Checker::holds(const Condition& rule, const Json& value) {
  const auto& node = conforms_quietly(rule.condition, value) ? rule.then : rule.otherwise;
  return !node || conforms(*node, value);
}

}  // namespace teamster::schema
