#include <charconv>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/schema.h"
#include "workflow/format/checking.h"
#include "yaml/lines.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

// What phases answer that no agent does.
const char* kPersonAnswers = R"({"type":"object","properties":{
  "answer":{"type":["string","null"]},"by":{"type":["string","null"]}}})";
const char* kGateAnswers = R"({"type":"object","properties":{
  "approved":{"type":"boolean"},"feedback":{"type":["string","null"]},"by":{"type":["string","null"]}}})";
const char* kCheckAnswers = R"({"type":"object","properties":{
  "passed":{"type":"boolean"},"exit":{"type":"integer"},"output":{"type":"string"}}})";
const char* kCommitAnswers = R"({"type":"object","properties":{
  "commit":{"type":"string"},"tag":{"type":["string","null"]}}})";
const char* kNothingAnswers = R"({"type":"object","properties":{}})";

AnswerShape fixed_shape(const char* schema) {
  const Shape shape(*parse_json(schema));
  return {shape, shape};
}

// Where the reader of JSON stopped: its message names the byte.
Place place_of_json_error(const std::string& text, const std::string& what) {
  constexpr std::string_view kAtByte = "at byte ";
  const std::size_t at = what.find(kAtByte);
  std::size_t byte = 0;
  if (at != what.npos) std::from_chars(what.data() + at + kAtByte.size(), what.data() + what.size(), byte);
  return Lines(text).place_of_byte(byte);
}

class AnswerReader {
 public:
  AnswerReader(const Workflow& workflow, const Document& document, const Bundle& bundle, Problems& problems)
      : workflow_(workflow), document_(document), bundle_(bundle), problems_(problems) {}

  AnswerShape shape_of(std::size_t index) {
    const Phase& phase = workflow_.phases[index];
    const Spot spot = Spot(document_.root).at("phases").at(index);
    switch (phase.kind) {
      case Kind::ask:
        return fixed_shape(kPersonAnswers);
      case Kind::gate:
        return fixed_shape(kGateAnswers);
      case Kind::check:
        return fixed_shape(kCheckAnswers);
      case Kind::commit:
        return fixed_shape(kCommitAnswers);
      case Kind::notify:
        return fixed_shape(kNothingAnswers);
      case Kind::workflow:
        return {Shape::anything(), Shape::anything()};
      case Kind::agent:
      case Kind::fanout:
        break;
    }
    const Json* each = schema_of(spot.at("returns"), phase.returns);
    const Shape one = each == nullptr ? Shape::anything() : Shape(*each);
    if (each == nullptr || phase.kind == Kind::agent) return {one, one};
    Json outcome = *each;
    if (outcome.is_object()) outcome["properties"]["passed"] = {{"type", "boolean"}};
    const Shape items = Shape::list_of(outcome);
    if (phase.merge.empty()) return {Shape::list_of(*each), one, items};
    const Json* merged = schema_of(spot.at("merge").at("returns"), phase.merge_returns);
    return {merged == nullptr ? Shape::anything() : Shape(*merged), one, items};
  }

 private:
  const Json* schema_of(const Spot& spot, const std::string& name) {
    if (name.empty()) return nullptr;
    const std::string* text = find_file(spot, name, document_.file, bundle_, problems_);
    if (text == nullptr) return nullptr;
    const auto known = schemas_.find(name);
    if (known != schemas_.end()) return known->second ? &*known->second : nullptr;
    auto& schema = schemas_[name];
    const auto parsed = parse_json(*text, {.max_bytes = limits::kSchemaMaxBytes});
    if (!parsed) {
      problems_.add(name, place_of_json_error(*text, parsed.error().what), parsed.error().what);
      return nullptr;
    }
    const auto compiled = schema::Schema::compile(*parsed);
    if (!compiled) {
      problems_.add(name, {}, compiled.error().text());
      return nullptr;
    }
    schema = *parsed;
    return &*schema;
  }

  const Workflow& workflow_;
  const Document& document_;
  const Bundle& bundle_;
  Problems& problems_;
  std::map<std::string, std::optional<Json>> schemas_;
};

}  // namespace

const std::string* find_file(const Spot& spot, const std::string& name, const std::string& file, const Bundle& bundle,
                             Problems& problems) {
  if (const auto it = bundle.find(name); it != bundle.end()) return &it->second;
  std::vector<std::string> names;
  for (const auto& [known, contents] : bundle)
    if (known != kWorkflowFile) names.push_back(known);
  const auto meant = closest(name, names);
  problems.add(file, spot.place(),
               fmt::format("the workflow has no file {}{}", quoted(name, 100),
                           meant ? fmt::format(", did you mean {}?", *meant) : ""));
  return nullptr;
}

std::vector<AnswerShape> check_answers(const Workflow& workflow, const Document& document, const Bundle& bundle,
                                       Problems& problems) {
  AnswerReader reader(workflow, document, bundle, problems);
  std::vector<AnswerShape> shapes;
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) shapes.push_back(reader.shape_of(i));
  return shapes;
}

}  // namespace teamster::workflow
