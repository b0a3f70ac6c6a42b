// The redelivery clock of the mailbox: what was delivered and not seen between turns.
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "protocol/words/message_records.h"
#include "team/mailbox.h"

namespace teamster::team {
namespace {

// Tells the lead, or the operator where no lead lives, which messages died.
Result<void> report_dead(Scene& scene, const store::MemberRow& member, const std::vector<MessageId>& ids) {
  auto receiver = TRY(scene.tables().members.find(member.team, kLead));
  if (!receiver || !receiver->live || receiver->id == member.id)
    receiver = TRY(scene.tables().members.find(member.team, kOperator));
  if (!receiver || receiver->id == member.id) return {};
  std::vector<std::int64_t> numbers;
  for (const MessageId id : ids) numbers.push_back(id.value);
  const std::string text = fmt::format("DEAD|member:{}|messages:{}|reason:not seen after {} deliveries", member.name,
                                       fmt::join(numbers, ","), limits::kDeliveriesMax);
  const MessageSent signal{
      .from = kHub, .to = receiver->name, .to_id = receiver->id, .kind = message_kind::kSignal, .body = text};
  TRY_VOID(scene.store.record(signal, member.team, kHub));
  return {};
}

}  // namespace

Result<void> redeliver(Scene& scene) {
  const WallTime since{scene.now().unix_ms - to_ms(limits::kRedeliverAfter)};
  struct Due {
    std::vector<MessageId> requeued;
    std::vector<MessageId> dead;
  };
  std::map<MemberId, Due> due;
  for (const auto& unseen : TRY(scene.tables().messages.unseen_since(since, limits::kPageMaxRows))) {
    Due& of_member = due[unseen.recipient];
    (unseen.deliveries >= limits::kDeliveriesMax ? of_member.dead : of_member.requeued).push_back(unseen.id);
  }
  for (const auto& [id, lists] : due) {
    const auto member = TRY(scene.tables().members.get(id));
    if (!member) continue;
    if (!lists.requeued.empty())
      TRY_VOID(scene.store.record(MessagesRequeued{{member->name, id, lists.requeued}, "not seen in time"},
                                  member->team, kHub));
    if (!lists.dead.empty()) {
      TRY_VOID(scene.store.record(MessagesDead{{member->name, id, lists.dead}}, member->team, kHub));
      TRY_VOID(report_dead(scene, *member, lists.dead));
    }
  }
  return {};
}

}  // namespace teamster::team
