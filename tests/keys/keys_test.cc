// No dead keys: every key of the format is left out of a good workflow that has it, and both are played. At the place
// that the schema names beside the key, as x-effect, something must be different; a key without one must be needed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "keys/player.h"
#include "schema/pointer.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"
#include "workflow/format/used_keys_for_test.h"
#include "yaml/document.h"

namespace teamster::keys {
namespace {

using workflow::Bundle;
using OrderedJson = nlohmann::ordered_json;
using Places = std::set<std::string>;  // of x-effect

const Places& known_places() {
  static const Places kPlaces = {place::kStart, place::kJournal, place::kPrompt, place::kProcess,
                                 place::kFile,  place::kShown,   place::kDefault};
  return kPlaces;
}

// In the order of the file, which counts for arguments and values.
OrderedJson ordered(const workflow::Node& node) {
  OrderedJson json = OrderedJson::parse(dump_json(workflow::to_json(node)));
  if (node.kind == workflow::Node::Kind::list) {
    json = OrderedJson::array();
    for (const auto& entry : node.items) json.push_back(ordered(entry));
  }
  if (node.kind == workflow::Node::Kind::map) {
    json = OrderedJson::object();
    for (std::size_t i = 0; i < node.keys.size(); ++i) json[node.keys[i].text] = ordered(node.items[i]);
  }
  return json;
}

// One good workflow with what was seen of its plays.
class Played {
 public:
  Played(std::string name, Bundle bundle) : name_(std::move(name)), bundle_(std::move(bundle)) {
    workflow::Problems problems;
    const auto parsed =
        workflow::parse_document(workflow::kWorkflowFile, bundle_.at(workflow::kWorkflowFile), problems);
    document_ = ordered(parsed.value().root);
    plays_ = plays_of(bundle_);
    const auto loaded = workflow::load_workflow(bundle_);
    for (const auto& problem : loaded.problems) ADD_FAILURE() << name_ << ": " << problem.text();
    if (!loaded.workflow) return;
    for (const auto& play : plays_) {
      traces_.push_back(Player(bundle_, *loaded.workflow, play).play());
      tell(play.name, traces_.back());
    }
  }

  const std::string& name() const { return name_; }
  Json document() const { return Json::parse(document_.dump()); }

  // At which places something is different without this part, at least one of `wanted` if there is any; nullopt: it
  // cannot be left out.
  const std::optional<Places>& changes_without(const std::string& pointer, const Places& wanted) {
    auto known = changes_.find({pointer, wanted});
    if (known == changes_.end())
      known = changes_.emplace(std::pair(pointer, wanted), find_changes(pointer, wanted)).first;
    return known->second;
  }

 private:
  std::optional<Places> find_changes(const std::string& pointer, const Places& wanted) const {
    OrderedJson document = document_;
    const OrderedJson::json_pointer whole(pointer);
    document[whole.parent_pointer()].erase(whole.back());
    Bundle bundle = bundle_;
    bundle[workflow::kWorkflowFile] = document.dump();
    const auto loaded = workflow::load_workflow(bundle);
    if (!loaded.workflow) return std::nullopt;
    Places changed;
    for (std::size_t i = 0; i < plays_.size(); ++i) {
      Trace trace = Player(bundle, *loaded.workflow, plays_[i]).play();
      Trace before = traces_[i];
      for (const auto& where : known_places())
        if (trace[where] != before[where]) changed.insert(where);
      for (const auto& where : wanted)
        if (changed.contains(where)) return changed;
    }
    return changed;
  }
  // With TEAMSTER_STORY=1, to write a play by.
  void tell(const std::string& play, const Trace& trace) const {
    if (std::getenv("TEAMSTER_STORY") == nullptr) return;
    fmt::print("=== {}: {}\n", name_, play);
    for (const auto& [where, lines] : trace)
      for (const auto& line : lines) fmt::print("{}: {}\n", where, line);
  }

  std::string name_;
  Bundle bundle_;
  OrderedJson document_;
  std::vector<Play> plays_;
  std::vector<Trace> traces_;
  std::map<std::pair<std::string, Places>, std::optional<Places>> changes_;
};

Places declared_places(const Json& schema, const std::string& key) {
  const Json* property = schema::find_by_pointer(schema, key.substr(1));
  if (property == nullptr || !property->is_object() || !property->contains("x-effect")) return {};
  const Json& effect = (*property)["x-effect"];
  if (effect.is_string()) return {effect.get<std::string>()};
  return effect.get<Places>();
}

// Whether the key can say but one thing, or two of which one is the default.
bool says_one_thing(const Json& schema, const std::string& key) {
  const Json* property = schema::find_by_pointer(schema, key.substr(1));
  return property != nullptr && (property->contains("const") || property->value("type", "") == "boolean");
}

struct Use {
  Played* played;
  std::string pointer;
};

std::string listed(const Places& names) { return join(std::vector<std::string>(names.begin(), names.end()), ", "); }

// "/roles/*/ladder/retry": where in a workflow the key stands, whatever the names.
std::string shape_of(const std::string& pointer) {
  static const std::set<std::string> kOfNames = {"entries", "flags", "args", "values", "roles", "loops", "inputs"};
  std::string shape;
  bool is_name = false;
  std::istringstream parts(pointer.substr(1));
  for (std::string part; std::getline(parts, part, '/');) {
    const bool is_number = part.find_first_not_of("0123456789") == std::string::npos;
    shape += "/" + (is_name || is_number ? "*" : part);
    is_name = !is_name && kOfNames.contains(part);
  }
  return shape;
}

// Empty, or what is wrong with the key.
std::string fault_of(const Places& places, const std::vector<Use>& uses) {
  Places elsewhere;
  std::vector<std::string> tried;
  for (const auto& use : uses) {
    const auto changed = use.played->changes_without(use.pointer, places);
    if (!changed) continue;
    tried.push_back(fmt::format("{} {}", use.played->name(), use.pointer));
    for (const auto& where : *changed) {
      if (places.contains(where)) return {};
      elsewhere.insert(where);
    }
  }
  if (tried.empty() && places.empty()) return {};
  if (places == Places{place::kDefault})
    return elsewhere.empty() ? "" : fmt::format("it says what is so without it, but changes {}", listed(elsewhere));
  if (tried.empty()) return "it cannot be left out anywhere, so it needs no x-effect";
  if (places.empty())
    return fmt::format("it can be left out of {}, so x-effect must say where one sees that; it is seen in: {}",
                       join(tried, ", "), listed(elsewhere));
  return fmt::format("left out of {}, nothing changes in {}; something changes in: {}", join(tried, ", "),
                     listed(places), listed(elsewhere));
}

bool can_be_left_out(const Places& places, const std::vector<Use>& uses) {
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return use.played->changes_without(use.pointer, places).has_value(); });
}

// The same as a part of a role, of a phase or at the top is not the same.
void check_in_each_shape(const std::string& key, const Places& places, const std::vector<Use>& uses) {
  std::map<std::string, std::vector<Use>> by_shape;
  for (const auto& use : uses) by_shape[shape_of(use.pointer)].push_back(use);
  for (const auto& [shape, some] : by_shape) {
    if (!can_be_left_out(places, some)) continue;
    EXPECT_EQ(fault_of(places, some), "") << key << " as " << shape;
  }
}

TEST(Keys, HaveAnEffectAtThePlaceThatTheSchemaNames) {
  const auto schema =
      *parse_json(workflow::file_contents(workflow::source_directory() / "workflows/workflow.schema.json"));
  std::vector<std::unique_ptr<Played>> all;
  std::map<std::string, std::vector<Use>> uses;
  for (const auto& [name, bundle] : workflow::bundles_in(workflow::source_directory() / "tests/good_workflows")) {
    all.push_back(std::make_unique<Played>(name, bundle));
    workflow::UsedKeys used(schema);
    used.look_at(all.back()->document());
    for (const auto& [key, pointers] : used.used())
      if (used.all().contains(key))
        for (const auto& pointer : pointers) uses[key].push_back({all.back().get(), pointer});
  }
  EXPECT_GT(uses.size(), 200U);
  const workflow::UsedKeys keys(schema);
  for (const auto& key : keys.all()) EXPECT_TRUE(uses.contains(key)) << key << " is not played";
  for (const auto& [key, here] : uses) {
    const auto places = declared_places(schema, key);
    for (const auto& where : places) EXPECT_TRUE(known_places().contains(where)) << key << ": " << where;
    EXPECT_TRUE(!places.contains(place::kDefault) || says_one_thing(schema, key)) << key;
    EXPECT_EQ(fault_of(places, here), "") << key;
    check_in_each_shape(key, places, here);
  }
}

}  // namespace
}  // namespace teamster::keys
