// Stage: a player with nothing around it. Flushes are finished at once, as an attentive
// reader's would be; every other effect waits for the test to say what came of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_clock.h"
#include "env/sim/sim_random.h"
#include "script/player.h"

namespace teamster::script {

class Stage {
 public:
  explicit Stage(const std::string& script, Settings settings = {}, std::optional<Place> place = {})
      : script_(*parse_script(script, "test")), settings_(std::move(settings)) {
    if (!place) {
      place.emplace();
      place->session_id = "id";
      place->model = settings_.model.value_or("m");
    }
    std::optional<schema::Schema> schema;
    if (settings_.json_schema) schema = *schema::Schema::compile(*settings_.json_schema);
    player_.emplace(Player::Parts{script_, settings_, clock_, random_}, *std::move(place), std::move(schema));
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // A script with one turn of these steps.
  static std::string turn(const std::string& steps) { return R"({"turns":[{"steps":[)" + steps + "]}]}"; }

  void raw(std::string_view text) { carry_out(player_->hear(text)); }
  void line(const Json& json) { raw(dump_json(json)); }
  void say(const std::string& text, const Json& uuid = {}, const Json& more = Json::object()) {
    Json json = {{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}};
    if (!uuid.is_null()) json["uuid"] = uuid;
    json.update(more);
    line(json);
  }
  void control(Json request) {
    line(Json{{"type", "control_request"}, {"request_id", "r1"}, {"request", std::move(request)}});
  }
  // To the request for permission that was printed last.
  void answer(const Json& response) {
    const std::string id = only("control_request").at("request_id");
    line(Json{{"type", "control_response"},
              {"response", {{"subtype", "success"}, {"request_id", id}, {"response", response}}}});
  }
  void finish(const Outcome& outcome = {}) {
    EXPECT_TRUE(effect) << "nothing runs";
    effect.reset();
    carry_out(player_->finished(outcome));
  }
  void end_input() { carry_out(player_->input_ended()); }
  void signal(int number) { carry_out(player_->signalled(number)); }

  template <class T>
  T running() const {
    const T* found = effect ? std::get_if<T>(&*effect) : nullptr;
    EXPECT_NE(found, nullptr) << "another effect runs, or none";
    return found != nullptr ? *found : T{};
  }

  // What was printed since the last call, one document a line; garbage becomes null.
  std::vector<Json> lines() {
    std::vector<Json> all;
    for (std::size_t at = 0; at < printed.size();) {
      const std::size_t end = std::min(printed.find('\n', at), printed.size());
      Json json = Json::parse(printed.substr(at, end - at), nullptr, false);
      all.push_back(json.is_discarded() ? Json() : std::move(json));
      at = end + 1;
    }
    return all;
  }
  // "init", "assistant:text", "user:tool_result", "result", "queued:u1" …
  std::vector<std::string> kinds() {
    std::vector<std::string> kinds;
    for (const auto& json : lines()) kinds.push_back(kind_of(json));
    return kinds;
  }
  // The only line of this type.
  Json only(const std::string& type) {
    std::vector<Json> found;
    for (const auto& json : lines())
      if (json.is_object() && json["type"] == type) found.push_back(json);
    EXPECT_EQ(found.size(), 1U) << type << "\n" << printed.substr(0, 4000);
    return found.empty() ? Json::object() : found.back();
  }
  Json block(const std::string& type) {
    for (const auto& json : lines())
      if (json.is_object() && json.contains("message") && json["message"]["content"].is_array())
        for (const auto& each : json["message"]["content"])
          if (each["type"] == type) return each;
    ADD_FAILURE() << "no block " << type << "\n" << printed.substr(0, 4000);
    return Json::object();
  }
  void forget() { printed.clear(); }

  static std::string kind_of(const Json& json) {
    if (!json.is_object()) return "garbage";
    const std::string type = json["type"];
    if (type == "system") return json["subtype"];
    if (type == "command_lifecycle") return json["state"].get<std::string>() + ":" + text(json["command_uuid"]);
    if (type == "control_response") return "response:" + json["response"]["subtype"].get<std::string>();
    if (json.contains("isReplay")) return "replay";
    if (!json.contains("message") || !json["message"]["content"].is_array()) return type;
    return type + ":" + json["message"]["content"][0]["type"].get<std::string>();
  }

  std::string printed;
  std::vector<Json> records;
  std::optional<Effect> effect;
  int abandoned = 0;
  std::optional<Leave> left;
  std::optional<Crash> died;
  Player& player() { return *player_; }
  env::sim::SimClock& clock() { return clock_; }

 private:
  static std::string text(const Json& uuid) { return uuid.is_string() ? uuid.get<std::string>() : dump_json(uuid); }

  void carry_out(const Player::Actions& actions) {
    for (const auto& action : actions) {
      EXPECT_FALSE(left || died) << "nothing follows the end";
      if (const auto* print = std::get_if<Print>(&action)) printed += print->bytes;
      if (const auto* keep = std::get_if<Keep>(&action)) records.push_back(keep->record);
      if (const auto* begin = std::get_if<Begin>(&action)) {
        EXPECT_FALSE(effect) << "two effects at once";
        effect = begin->effect;
      }
      if (std::holds_alternative<Abandon>(action)) {
        EXPECT_TRUE(effect) << "nothing to abandon";
        effect.reset();
        ++abandoned;
      }
      if (const auto* die = std::get_if<Die>(&action)) died = die->crash;
      if (const auto* leave = std::get_if<Leave>(&action)) left = *leave;
    }
    if (left || died || !effect || !std::holds_alternative<Flush>(*effect)) return;
    effect.reset();
    carry_out(player_->finished({}));
  }

  Script script_;
  Settings settings_;
  env::sim::SimClock clock_;
  env::sim::SimRandom random_{1};
  std::optional<Player> player_;
};

}  // namespace teamster::script
