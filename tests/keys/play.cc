#include "keys/play.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::keys {
namespace {

template <class Value>
void take(const Json& said, const char* field, Value& into) {
  if (const auto found = said.find(field); found != said.end()) into = found->get<Value>();
}

// An entry with `$times` stands for as many.
std::vector<Json> repeated(const std::vector<Json>& entries) {
  std::vector<Json> all;
  for (Json entry : entries) {
    const std::int64_t times = entry.value("$times", 1);
    entry.erase("$times");
    all.insert(all.end(), static_cast<std::size_t>(times), entry);
  }
  return all;
}

Play play_from(const Json& said) {
  Play play;
  take(said, "name", play.name);
  take(said, "files", play.files);
  take(said, "uncommitted", play.uncommitted);
  take(said, "settings", play.settings);
  take(said, "commands", play.commands);
  take(said, "words", play.words);
  take(said, "flags", play.flags);
  take(said, "environment", play.environment);
  take(said, "people", play.people);
  take(said, "active", play.active);
  take(said, "detached", play.is_detached);
  take(said, "steps", play.steps);
  for (auto& [step, entries] : play.steps) entries = repeated(entries);
  return play;
}

}  // namespace

std::vector<Play> plays_of(const workflow::Bundle& bundle) {
  const auto file = bundle.find(kPlayFile);
  if (file == bundle.end()) return {Play{.name = "as well as it can"}};
  const auto document = parse_json(file->second);
  EXPECT_TRUE(document) << file->second;
  if (!document) return {};
  std::vector<Play> plays;
  for (const auto& each : document->at("plays")) {
    Json said = document->value("all", Json::object());
    for (const auto& [key, value] : each.items()) {
      const bool is_added_to = value.is_object() && said.contains(key) && said[key].is_object();
      if (is_added_to)
        said[key].merge_patch(value);
      else
        said[key] = value;
    }
    plays.push_back(play_from(said));
  }
  return plays;
}

Json example_of(const Json& schema) {
  if (schema.contains("enum")) return schema["enum"].front();
  if (schema.contains("const")) return schema["const"];
  const std::string type = schema.value("type", "object");
  if (type == "string") return "words";
  if (type == "boolean") return true;
  if (type == "integer" || type == "number") return 1;
  if (type == "array") return Json::array();
  Json value = Json::object();
  for (const auto& name : schema.value("required", Json::array()))
    value[name.get<std::string>()] = example_of(schema["properties"].value(name.get<std::string>(), Json::object()));
  return value;
}

}  // namespace teamster::keys
