// The published schema and the program on workflows that are wrong in one place each: good ones in which one value was
// left out or replaced. Neither may accept what the other refuses, as far as it is a matter of form.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/pointer.h"
#include "schema/schema.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"
#include "yaml/document.h"

namespace teamster::workflow {
namespace {

// The places of all values in it, as JSON Pointers.
void collect_places(const Json& value, const std::string& place, std::vector<std::string>& places) {
  if (!place.empty()) places.push_back(place);
  if (value.is_object())
    for (const auto& [key, inner] : value.items()) {
      std::string escaped;
      for (const char c : key) escaped += c == '/' ? "~1" : std::string(1, c);
      collect_places(inner, place + "/" + escaped, places);
    }
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect_places(value[i], place + "/" + std::to_string(i), places);
}

Json without(Json document, const std::string& place) {
  const nlohmann::json::json_pointer pointer(place);
  Json& parent = document[pointer.parent_pointer()];
  if (parent.is_object())
    parent.erase(pointer.back());
  else
    parent.erase(std::stoul(pointer.back()));
  return document;
}

std::vector<Json> changed(const Json& document, const std::string& place) {
  static const std::vector<Json> kOthers = {nullptr, 7, "", Json::array(), Json::object(), Json::array({""})};
  std::vector<Json> all{without(document, place)};
  const nlohmann::json::json_pointer pointer(place);
  for (const auto& other : kOthers) {
    all.push_back(document);
    all.back()[pointer] = other;
  }
  if (!document[pointer].is_object()) return all;
  all.push_back(document);
  all.back()[pointer]["unheard_of"] = "x";
  return all;
}

// Values that are compared with each other.
bool is_beyond_a_schema(const Bundle& bundle) {
  for (const auto& problem : load_pinned(bundle).problems)
    for (const char* words : {"the default does not match", "the default is none of", "has no group",
                              "so it never holds", "is later than `deadline`", "because the one before it has one"})
      if (problem.what.find(words) != std::string::npos) return true;
  return false;
}

class Both {
 public:
  Both()
      : schema_(*schema::Schema::compile(
            *parse_json(file_contents(source_directory() / "workflows/workflow.schema.json")))) {}

  // Empty, or how they differ.
  std::string difference(const Bundle& bundle, const Json& document) {
    Bundle other = bundle;
    other[kWorkflowFile] = dump_json(document);
    const bool is_readable = load_pinned(other).workflow.has_value();
    const auto refused = schema_.check(document);
    if (!is_readable && refused.empty() && !is_beyond_a_schema(other))
      return "the schema accepts: " + load_pinned(other).problems.front().text();
    if (!is_readable || refused.empty()) return "";
    return load_workflow(other).workflow ? "the program accepts: " + refused.front() : "";
  }

 private:
  schema::Schema schema_;
};

TEST(EditorSchema, AgreesWithTheProgramOnWhatIsWrongInOnePlace) {
  Both both;
  std::size_t tried = 0;
  for (const auto& [name, bundle] : bundles_in(source_directory() / "tests/good_workflows")) {
    Problems problems;
    const auto parsed = parse_document(kWorkflowFile, bundle.at(kWorkflowFile), problems);
    ASSERT_TRUE(parsed) << name;
    const Json document = to_json(parsed->root);
    std::vector<std::string> places;
    collect_places(document, "", places);
    for (const auto& place : places)
      for (const auto& other : changed(document, place)) {
        ++tried;
        const std::string difference = both.difference(bundle, other);
        const nlohmann::json::json_pointer pointer(place);
        EXPECT_EQ(difference, "") << name << " " << place << "\n"
                                  << (other.contains(pointer) ? dump_json(other[pointer]) : "left out");
      }
  }
  EXPECT_GT(tried, 3000U);
}

}  // namespace
}  // namespace teamster::workflow
