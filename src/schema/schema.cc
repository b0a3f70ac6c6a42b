#include "schema/schema.h"

#include <cmath>
#include <functional>

#define VALIJSON_USE_EXCEPTIONS 1
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/check.h"
#include "base/limits.h"
#include "base/text.h"
#include "schema/dialect.h"
#include "schema/pattern.h"
#include "schema/pointer.h"

namespace teamster::schema {
namespace {

using valijson::ValidationResults;
using valijson::adapters::Adapter;
using valijson::adapters::NlohmannJsonAdapter;

// One keyword that looks at a single value. valijson's own say neither what was expected nor
// what is there, count bytes after a NUL as nothing, and backtrack in regular expressions.
struct ValueRule {
  std::function<bool(const Adapter&)> holds;
  std::function<std::string(const Adapter&)> expected;
  bool is_type = false;
};

std::string_view type_of(const Adapter& value) {
  if (value.isObject()) return "object";
  if (value.isArray()) return "array";
  if (value.isString()) return "string";
  if (value.isBool()) return "boolean";
  if (value.isNumber()) return value.isInteger() ? "integer" : "number";
  return "null";
}

bool is_of_type(const Adapter& value, std::string_view type) {
  if (type == "number") return value.isNumber();
  if (type == "integer") return value.isNumber() && value.asDouble() == std::floor(value.asDouble());
  return type_of(value) == type;
}

std::size_t characters_in(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

ValueRule type_rule(const Json& value) {
  std::vector<std::string> types;
  if (value.is_array())
    types = value.get<std::vector<std::string>>();
  else
    types.push_back(value.get<std::string>());
  const auto holds = [types](const Adapter& target) {
    return std::any_of(types.begin(), types.end(), [&](const auto& type) { return is_of_type(target, type); });
  };
  return {holds,
          [text = join(types, " or ")](const Adapter& target) {
            return fmt::format("expected {}, got {}", text, type_of(target));
          },
          true};
}

ValueRule one_of_rule(const Json& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ", ") + dump_json(value);
  if (text.size() > limits::kSchemaProblemMaxBytes / 2) text = quoted(text, limits::kSchemaProblemMaxBytes / 2);
  const auto holds = [values](const Adapter& target) {
    return std::any_of(values.begin(), values.end(),
                       [&](const Json& value) { return NlohmannJsonAdapter(value).equalTo(target, true); });
  };
  return {holds, [text, is_one = values.size() == 1](const Adapter& target) {
            const std::string got = target.isString() ? quoted(target.asString(), 60) : std::string(type_of(target));
            return fmt::format("expected {}{}, got {}", is_one ? "" : "one of ", text, got);
          }};
}

ValueRule pattern_rule(const std::string& expression) {
  auto pattern = Pattern::compile(expression);
  CHECK(pattern);  // the dialect has compiled it before
  const auto holds = [pattern = *pattern](const Adapter& target) {
    return !target.isString() || pattern.matches(target.asString());
  };
  return {holds, [expression](const Adapter& target) {
            const std::string text = target.asString();
            if (text.size() > limits::kSchemaPatternTextMaxBytes)
              return fmt::format("expected at most {} bytes, which can be matched with a pattern, got {}",
                                 limits::kSchemaPatternTextMaxBytes, text.size());
            return fmt::format("expected a text that matches {}, got {}", expression, quoted(text, 60));
          }};
}

ValueRule number_rule(const std::string& words, double bound, bool (*is_right)(double value, double bound)) {
  return {[bound, is_right](const Adapter& target) { return !target.isNumber() || is_right(target.asDouble(), bound); },
          [words, bound](const Adapter& target) {
            return fmt::format("expected a number {} {}, got {}", words, bound, target.asDouble());
          }};
}

ValueRule length_rule(const std::string& words, std::size_t bound, bool is_least) {
  const auto holds = [=](const Adapter& target) {
    if (!target.isString()) return true;
    const std::size_t length = characters_in(target.asString());
    return is_least ? length >= bound : length <= bound;
  };
  return {holds, [=](const Adapter& target) {
            return fmt::format("expected {} {} characters, got {}", words, bound, characters_in(target.asString()));
          }};
}

ValueRule make_rule(const Rule& rule) {
  const auto& [keyword, value] = rule;
  if (keyword == "type") return type_rule(value);
  if (keyword == "enum") return one_of_rule(value);
  if (keyword == "const") return one_of_rule(Json::array({value}));
  if (keyword == "pattern") return pattern_rule(value.get<std::string>());
  if (keyword == "minLength") return length_rule("at least", value.get<std::size_t>(), true);
  if (keyword == "maxLength") return length_rule("at most", value.get<std::size_t>(), false);
  if (keyword == kNever)
    return {[](const Adapter&) { return false; }, [](const Adapter&) { return "is not allowed here"; }};
  const double bound = value.get<double>();
  if (keyword == "minimum") return number_rule("from", bound, [](double a, double b) { return a >= b; });
  if (keyword == "maximum") return number_rule("up to", bound, [](double a, double b) { return a <= b; });
  if (keyword == "exclusiveMinimum") return number_rule("above", bound, [](double a, double b) { return a > b; });
  if (keyword == "exclusiveMaximum") return number_rule("below", bound, [](double a, double b) { return a < b; });
  CHECK(keyword == "multipleOf");
  return number_rule("that is a multiple of", bound, [](double a, double b) {
    // Of 0.3 and 0.1 nobody means that they differ by a rounding.
    const double times = a / b;
    return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
  });
}

// Ends a run that has more problems than anybody would read: a list of a million wrong items
// would otherwise take a gigabyte to describe.
struct EnoughProblems {};
constexpr std::size_t kRecordedMax = 1000;

// The rules of one schema, as valijson sees them.
class RulesConstraint : public valijson::constraints::PolyConstraint {
 public:
  explicit RulesConstraint(std::vector<const ValueRule*> rules) : rules_(std::move(rules)) {}

  bool validate(const Adapter& target, const std::vector<std::string>& context,
                ValidationResults* results) const override {
    if (results != nullptr && results->numErrors() > kRecordedMax) throw EnoughProblems{};
    bool is_valid = true;
    for (const ValueRule* rule : rules_) {
      if (rule->holds(target)) continue;
      is_valid = false;
      if (results != nullptr) results->pushError(context, rule->expected(target));
      if (results == nullptr || rule->is_type) break;
    }
    return is_valid;
  }

 private:
  valijson::constraints::Constraint* cloneInto(void* memory) const override {
    return new (memory) RulesConstraint(*this);
  }
  std::size_t sizeOf() const override { return sizeof(RulesConstraint); }

  std::vector<const ValueRule*> rules_;
};

class RulesBuilder : public valijson::ConstraintBuilder {
 public:
  explicit RulesBuilder(const std::vector<ValueRule>& rules) : rules_(rules) {}

  valijson::constraints::Constraint* make(const Adapter& numbers) const override {
    std::vector<const ValueRule*> chosen;
    numbers.applyToArray([&](const Adapter& number) {
      chosen.push_back(&rules_.at(static_cast<std::size_t>(number.asInteger())));
      return true;
    });
    return new RulesConstraint(std::move(chosen));
  }

 private:
  const std::vector<ValueRule>& rules_;
};

// valijson also reports each level above a problem.
bool is_echo(std::string_view description) {
  return description.starts_with("Failed to validate") && description.find("exactly one") == std::string_view::npos;
}

std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer = "#";
  // The first is the root; the others are in brackets.
  for (std::size_t i = 1; i < context.size(); ++i)
    pointer += "/" + escaped_token(context[i].substr(1, context[i].size() - 2));
  return pointer;
}

std::string problem_text(const ValidationResults::Error& error) {
  std::string text = error.description;
  while (text.ends_with('.')) text.pop_back();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  if (text.size() > limits::kSchemaProblemMaxBytes) {
    text.resize(limits::kSchemaProblemMaxBytes);
    if (const auto broken = find_invalid_utf8(text)) text.resize(*broken);
    text += "…";
  }
  return fmt::format("{}: {}", quoted(pointer_of(error.context), 200), text);
}

// What valijson would take too long for.
std::optional<std::string> over_limits(const Json& value, const Canonical& schema) {
  if (!value.is_structured()) return std::nullopt;
  if (schema.has_unique_items && value.is_array() && value.size() > limits::kSchemaUniqueItemsMax)
    return fmt::format("a list has {} items; with unique items the limit is {}", value.size(),
                       limits::kSchemaUniqueItemsMax);
  for (const auto& [name, each] : value.items()) {
    if (schema.has_name_patterns && value.is_object() && name.size() > limits::kSchemaPropertyNameMaxBytes)
      return fmt::format("the name {} has {} bytes, the limit is {}", quoted(name, 40), name.size(),
                         limits::kSchemaPropertyNameMaxBytes);
    if (auto found = over_limits(each, schema)) return found;
  }
  return std::nullopt;
}

std::vector<std::string> innermost(const ValidationResults& results) {
  std::vector<std::string> problems;
  for (const auto& error : results) {
    if (is_echo(error.description)) continue;
    std::string text = problem_text(error);
    if (std::find(problems.begin(), problems.end(), text) != problems.end()) continue;
    problems.push_back(std::move(text));
    if (problems.size() == limits::kSchemaProblemsMax) break;
  }
  return problems;
}

}  // namespace

class Schema::Checker {
 public:
  // Throws what valijson throws.
  explicit Checker(Canonical canonical) : canonical_(std::move(canonical)) {
    for (const auto& rule : canonical_.rules) rules_.push_back(make_rule(rule));
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.addConstraintBuilder(kRules, new RulesBuilder(rules_));
    parser.populateSchema(NlohmannJsonAdapter(canonical_.document), schema_);
  }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  std::vector<std::string> check(const Json& value) {
    if (canonical_.has_name_patterns || canonical_.has_unique_items)
      if (auto problem = over_limits(value, canonical_)) return {*problem};
    const NlohmannJsonAdapter target(value);
    // Most values conform, and to look for the first problem only is faster.
    if (validator_.validate(schema_, target, nullptr)) return {};
    ValidationResults results;
    try {
      validator_.validate(schema_, target, &results);
    } catch (const EnoughProblems&) {
    }
    auto problems = innermost(results);
    // valijson is silent about these.
    if (problems.empty()) problems.emplace_back("'#': a property has a name that the schema does not allow");
    return problems;
  }

 private:
  Canonical canonical_;
  std::vector<ValueRule> rules_;  // schema_ points into it
  valijson::Schema schema_;
  valijson::Validator validator_;
};

Schema::Schema(std::unique_ptr<Checker> checker) : checker_(std::move(checker)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Json& document) {
  auto canonical = TRY(canonical_schema(document));
  try {
    return Schema(std::make_unique<Checker>(std::move(canonical)));
  } catch (const std::exception& exception) {
    return fail(Code::invalid, fmt::format("the schema cannot be used: {}", exception.what()));
  }
}

std::vector<std::string> Schema::check(const Json& value) const {
  try {
    return checker_->check(value);
  } catch (const std::exception& exception) {
    return {fmt::format("'#': cannot be checked: {}", exception.what())};
  }
}

}  // namespace teamster::schema
