// Conditions as they are read: names of fields, values, and tests of a form that whoever evaluates them can rely on.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/read_inputs.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

constexpr std::int64_t kCountMax = 1'000'000;
const std::vector<std::string> kTests = {"every", "any", "none", "count", "changed_since"};

// What each entry of a list is compared with: a value, or fields with theirs.
void read_entry(const Reading& reading, const Node& node, const std::string& test) {
  if (node.kind != Node::Kind::map) return;
  if (node.keys.empty() && test == "every")
    reading.problem(node.place, "`every` is empty, so it always holds: write FIELD: VALUE");
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (node.items[i].kind == Node::Kind::map)
      reading.problem(
          node.items[i].place,
          fmt::format("`{}` compares the fields of an entry with values: a test cannot stand in a test", test));
}

void read_since(const Reading& reading, Fields& fields) {
  const auto since = fields.text("changed_since");
  if (!since) return;
  const auto source = parse_source(*since);
  if (!source || source->kind != Source::Kind::answer || source->name == kThisAnswer)
    reading.problem(fields.place_of("changed_since"), "`changed_since` names a phase, or PHASE/FIELD");
}

void read_bounds(const Reading& reading, Fields& fields, const Node& node) {
  const auto least = fields.number("at_least", 1, kCountMax);
  const auto most = fields.number("at_most", 0, kCountMax);
  if (!fields.has("at_least") && !fields.has("at_most"))
    reading.problem(node.place, "`count` needs `at_least` or `at_most`");
  if (least && most && *least > *most)
    reading.problem(fields.place_of("at_least"), "`at_least` is more than `at_most`, so it never holds");
}

void read_test(const Reading& reading, const Node& node, const std::string& field) {
  Fields fields(reading, node, fmt::format("the test of '{}'", field));
  std::vector<std::string> found;
  for (const auto& test : kTests)
    if (fields.take(test) != nullptr) found.push_back(test);
  if (found.size() != 1)
    reading.problem(node.place, fmt::format("a test of '{}' needs one of `every`, `any`, `none`, `count`, "
                                            "`changed_since`{}",
                                            field, found.empty() ? "" : ", found more"));
  const bool is_count = fields.has("count");
  if (is_count) read_bounds(reading, fields, node);
  for (const auto& test : found)
    if (test != "changed_since") read_entry(reading, *fields.take(test), test);
  read_since(reading, fields);
  if (found.empty()) {
    fields.take("at_least");
    fields.take("at_most");
  }
  fields.finish(is_count ? std::vector<std::string>{} : std::vector<std::string>{"at_least", "at_most"});
}

}  // namespace

Condition read_condition(const Reading& reading, const Node& node, const std::string& what, Tests tests) {
  Condition condition = read_fields(reading, node, what);
  for (std::size_t i = 0; i < node.keys.size() && node.kind == Node::Kind::map; ++i) {
    const Node& value = node.items[i];
    const std::string& field = node.keys[i].text;
    if (value.kind == Node::Kind::map && tests == Tests::allowed) read_test(reading, value, field);
    if (value.kind == Node::Kind::map && tests == Tests::none)
      reading.problem(value.place, fmt::format("{} compares '{}' with a value: tests such as {{every: …}} are for "
                                               "`when` and `pass`",
                                               what, field));
  }
  return condition;
}

std::map<std::string, Json> read_fields(const Reading& reading, const Node& node, const std::string& what) {
  const Fields fields(reading, node, what);
  std::map<std::string, Json> values;
  if (node.kind != Node::Kind::map) return values;
  if (node.keys.empty()) reading.problem(node.place, fmt::format("{} is empty, expected FIELD: VALUE", what));
  for (std::size_t i = 0; i < node.keys.size(); ++i) values[node.keys[i].text] = read_value(reading, node.items[i]);
  return values;
}

}  // namespace teamster::workflow
