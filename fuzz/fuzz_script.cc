// Fuzz target: the scripted agent's player. The first line of the input is a script, the rest
// is what a host writes to it; effects end at once. Whatever comes, one effect runs at a
// time, and the records that were kept make the same place again.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "env/sim/sim_clock.h"
#include "env/sim/sim_random.h"
#include "require.h"
#include "script/mcp_dialogue.h"
#include "script/player.h"

namespace {

using namespace teamster::script;

// As of one that is mute.
bool is_endless(const Effect& effect) {
  const auto* pause = std::get_if<Pause>(&effect);
  return pause != nullptr && pause->span == teamster::Duration::max();
}

// Carries out what the player wants, until it waits for the host.
struct Stage {
  void carry_out(Player& player, Player::Actions actions) {
    // A script is finite, and so is what it wants.
    for (std::optional<Effect> effect;; effect.reset()) {
      for (const auto& action : actions) {
        REQUIRE(!gone);
        if (const auto* keep = std::get_if<Keep>(&action)) records += teamster::dump_json(keep->record) + "\n";
        if (const auto* begin = std::get_if<Begin>(&action)) {
          REQUIRE(!effect);
          effect = begin->effect;
        }
        if (std::holds_alternative<Abandon>(action)) effect.reset();
        gone = std::holds_alternative<Leave>(action) || std::holds_alternative<Die>(action);
      }
      if (gone || !effect || is_endless(*effect)) return;
      actions = player.finished({.is_error = false, .text = "text", .structured = {{"id", 1}, {"token", "t"}}});
    }
  }

  std::string records;
  bool gone = false;
};

void play(const Script& script, std::string_view input) {
  Settings settings;
  settings.asks_permission = true;
  settings.replays = true;
  const teamster::env::sim::SimClock clock;
  teamster::env::sim::SimRandom random(1);
  Place place;
  place.session_id = "id";
  place.model = "m";
  Player player({script, settings, clock, random}, place, std::nullopt);
  Stage stage;
  while (!input.empty() && !stage.gone) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    stage.carry_out(player, player.hear(input.substr(0, end)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  if (!stage.gone) stage.carry_out(player, player.input_ended());
  if (stage.records.empty()) return;
  std::size_t used = 0;
  const auto again = Place::replay(stage.records, used);
  REQUIRE(again.has_value());
  REQUIRE(used == stage.records.size());
  REQUIRE(again->heard == player.place().heard);
  REQUIRE(again->used == player.place().used);
  REQUIRE(again->current.has_value() == player.place().current.has_value());
  REQUIRE(!again->current || again->current->next_step == player.place().current->next_step);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto script = parse_script(text.substr(0, end), "fuzz");
  if (script) play(*script, text.substr(std::min(end + 1, text.size())));
  std::size_t used = 0;
  (void)Place::replay(text, used);
  REQUIRE(used <= text.size());
  McpDialogue dialogue;
  std::string send;
  (void)dialogue.take(text.substr(0, end), send);
  return 0;
}
