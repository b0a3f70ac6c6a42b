#include "hub/server.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/log.h"
#include "base/team_ref.h"
#include "env/files.h"
#include "protocol/client/access.h"
#include "protocol/words/operations.h"

// What lies in files beside the store and follows what was committed: token files of members, directories of
// teams that are gone, room in the store.
namespace teamster::hub {

Result<Json> Server::with_token_file(TeamId team, const std::string& ref, Json member) {
  const TokenHolder holder{team, MemberId(member.at("id").get<std::int64_t>()),
                           Epoch(member.at("epoch").get<std::int64_t>())};
  const auto name = member.at("name").get<std::string>();
  member["token_file"] = home_.token_file(ref, name);
  member.erase("id");
  const auto row = TRY(store_->projection().members.get(holder.member));
  if (!row || row->epoch != holder.epoch) return member;  // an old answer, asked for again
  const auto write = [&]() -> Result<void> {
    TRY_VOID(world_.files.make_private_directory(home_.member_directory(ref, name)));
    return world_.files.write_atomically(home_.token_file(ref, name), make_token(cookie_, holder) + "\n", 0600);
  };
  if (auto written = write(); !written)
    return fail(written.error().within(fmt::format("member {} joined, but its token file was not written", name)));
  return member;
}

Result<Json> Server::with_files(const std::string& op, const std::string& text) {
  Json answer = TRY(parse_json(text));
  if (op == operation::kTeamCreate || op == operation::kTeamJoin) {
    const TeamId team(answer.at("team_id").get<std::int64_t>());
    const auto row = TRY(store_->projection().teams.get(team));
    const std::string ref = row ? row->ref().text() : answer.at("team").get<std::string>();
    answer.erase("team_id");
    if (answer.contains("member")) answer["member"] = TRY(with_token_file(team, ref, answer["member"]));
    if (answer.contains("members"))
      for (auto& member : answer["members"]) member = TRY(with_token_file(team, ref, member));
  } else if (op == operation::kTeamDelete) {
    // An answer that an older program has given knows no other.
    const std::string ref = answer.value("ref", answer.at("team").get<std::string>());
    if (TRY(store_->projection().teams.find(TRY(TeamRef::parse(ref))))) return answer;  // there is one of this name again
    // An agent that is just ending may write there still: its host takes away what is left.
    if (auto removed = world_.files.remove_tree(home_.team_directory(ref)); !removed)
      log_.warning("team.directory_left", {{"team", ref}, {"what", removed.error().what}});
  } else if (op == operation::kTeamOrphans) {
    for (auto& orphan : answer.at("orphans"))
      orphan["place"] = home_.team_directory(orphan.at("ref").get<std::string>());
  } else if (op == operation::kGc && answer.at("done").get<bool>()) {
    compact_store();
  }
  return answer;
}

// What was removed stays removed when this fails; the file only stays large.
void Server::compact_store() {
  const auto compacted = store_->compact();
  if (!compacted) return log_.warning("store.not_compacted", {{"what", compacted.error().what}});
  if (*compacted) is_log_extended_ = false;  // it is empty now
}

}  // namespace teamster::hub
