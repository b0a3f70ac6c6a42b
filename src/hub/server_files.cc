#include "hub/server.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/log.h"
#include "base/team_ref.h"
#include "env/clock.h"
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
    // There may be one of this name again.
    if (!TRY(store_->projection().teams.find(TRY(TeamRef::parse(ref))))) remove_team_directory(ref, answer);
  } else if (op == operation::kTeamOrphans) {
    for (auto& orphan : answer.at("orphans"))
      orphan["place"] = home_.team_directory(orphan.at("ref").get<std::string>());
    TRY_VOID(add_left_directories(answer.at("orphans")));
  } else if (op == operation::kGc && answer.at("done").get<bool>()) {
    compact_store();
  }
  return answer;
}

// The team itself is gone by then, so that what is left of it is found as an orphan. An agent that is just ending may
// write there still: its host takes away what is left. So whoever asked is told, and judges.
void Server::remove_team_directory(const std::string& ref, Json& answer) {
  const auto removed = world_.files.remove_tree(home_.team_directory(ref));
  if (removed) return;
  log_.warning("team.directory_left", {{"team", ref}, {"what", removed.error().what}});
  answer["left"] = {{"place", home_.team_directory(ref)}, {"what", removed.error().what}};
}

// Directories of teams that no team is known to: a hub died, or failed, before it had removed them.
Result<void> Server::add_left_directories(Json& orphans) {
  const std::string root = home_.path() + "/teams";
  const auto there = world_.files.list(root);
  if (!there) return {};
  const auto known = TRY(store_->projection().teams.refs());
  std::vector<std::string> left;
  std::set_difference(there->begin(), there->end(), known.begin(), known.end(), std::back_inserter(left));
  for (const auto& name : left) {
    const auto status = world_.files.status(root + "/" + name);
    const auto ref = TeamRef::parse(name);
    const bool is_one = ref && status && *status && (*status)->is_directory;
    if (!is_one) continue;
    orphans.push_back({{"team", ref->name},
                       {"ref", name},
                       {"age_ms", world_.clock.wall_now().unix_ms - (*status)->modified_unix_ms},
                       {"reason", "no team of that name is known, its directory was left"},
                       {"place", root + "/" + name}});
  }
  return {};
}

// What was removed stays removed when this fails; the file only stays large.
void Server::compact_store() {
  const auto compacted = store_->compact();
  if (!compacted) return log_.warning("store.not_compacted", {{"what", compacted.error().what}});
  if (*compacted) is_log_extended_ = false;  // it is empty now
}

}  // namespace teamster::hub
