#include "store/turn_table.h"

#include <nlohmann/json.hpp>

#include "protocol/words/team_records.h"

namespace teamster::store {

Result<std::optional<Seq>> TurnTable::find_end(TeamId team, std::string_view prompt) {
  auto query = database_.query("SELECT seq FROM ended_prompt WHERE team = ? AND prompt = ?");
  if (!TRY(query.with(team.value).with(prompt).next())) return std::optional<Seq>();
  return std::optional<Seq>(Seq(query.integer(0)));
}

Result<void> TurnTable::apply_turn(const Event& event) {
  const std::string_view prompt = MemberTurn::prompt_in(event.body);
  if (prompt.empty()) return {};
  return database_.query("INSERT OR IGNORE INTO ended_prompt(team, prompt, seq) VALUES(?, ?, ?)")
      .with(event.team.value)
      .with(prompt)
      .with(event.seq.value)
      .run();
}

Result<void> TurnTable::remove_team(TeamId team) {
  return database_.query("DELETE FROM ended_prompt WHERE team = ?").with(team.value).run();
}

}  // namespace teamster::store
