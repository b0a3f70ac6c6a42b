// The redelivery clock of the mailbox: what was delivered and not seen between turns.
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "team/mailbox.h"

namespace teamster::team {
namespace {

namespace kind = store::kind;

// Tells the lead, or the operator where no lead lives, which messages died.
Result<void> report_dead(Scene& scene, const store::MemberRow& member, const Json& ids) {
  auto receiver = TRY(scene.tables().members.find(member.team, kLead));
  if (!receiver || !receiver->live || receiver->id == member.id)
    receiver = TRY(scene.tables().members.find(member.team, kOperator));
  if (!receiver || receiver->id == member.id) return {};
  TRY_VOID(scene.store.record(
      kind::kMessageSent, member.team, kHub,
      {{"from", kHub},
       {"to", receiver->name},
       {"to_id", receiver->id.value},
       {"kind", "signal"},
       {"body", fmt::format("DEAD|member:{}|messages:{}|reason:not seen after {} deliveries", member.name,
                            fmt::join(ids.get<std::vector<std::int64_t>>(), ","), limits::kDeliveriesMax)}}));
  return {};
}

}  // namespace

Result<void> redeliver(Scene& scene) {
  const WallTime since{scene.now().unix_ms - to_ms(limits::kRedeliverAfter)};
  struct Due {
    Json requeued = Json::array();
    Json dead = Json::array();
  };
  std::map<MemberId, Due> due;
  for (const auto& unseen : TRY(scene.tables().messages.unseen_since(since, limits::kPageMaxRows))) {
    Due& of_member = due[unseen.recipient];
    (unseen.deliveries >= limits::kDeliveriesMax ? of_member.dead : of_member.requeued).push_back(unseen.id.value);
  }
  for (const auto& [id, lists] : due) {
    const auto member = TRY(scene.tables().members.get(id));
    if (!member) continue;
    const Json about = {{"member", member->name}, {"member_id", id.value}};
    if (!lists.requeued.empty()) {
      Json body = about;
      body["ids"] = lists.requeued;
      body["why"] = "not seen in time";
      TRY_VOID(scene.store.record(kind::kMessageRequeued, member->team, kHub, std::move(body)));
    }
    if (!lists.dead.empty()) {
      Json body = about;
      body["ids"] = lists.dead;
      TRY_VOID(scene.store.record(kind::kMessageDead, member->team, kHub, std::move(body)));
      TRY_VOID(report_dead(scene, *member, lists.dead));
    }
  }
  return {};
}

}  // namespace teamster::team
