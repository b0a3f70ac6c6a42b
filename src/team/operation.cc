#include "team/operation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "protocol/words/operations.h"
#include "protocol/words/team_records.h"
#include "team/lifecycle.h"
#include "team/mailbox.h"
#include "team/roster.h"
#include "team/run.h"
#include "team/run_lease.h"
#include "team/task_list.h"
#include "team/turn.h"

namespace teamster::team {
namespace {

constexpr bool kWrites = true;
constexpr bool kReads = false;
constexpr bool kOperatorOnly = true;
constexpr bool kAnyone = false;

constexpr std::array kOperations{
    Operation{operation::kMessageSend, kWrites, kAnyone, send_message},
    Operation{operation::kMessageWait, kWrites, kAnyone, wait_for_message, render_messages},
    Operation{operation::kMessageInbox, kWrites, kAnyone, read_inbox, render_messages},
    Operation{operation::kMessageAck, kWrites, kAnyone, acknowledge_messages},
    Operation{operation::kMessageBroadcast, kWrites, kAnyone, broadcast_message},
    Operation{operation::kMessageReceipt, kReads, kAnyone, message_receipt},
    Operation{operation::kTaskClaim, kWrites, kAnyone, claim_task, render_claim},
    Operation{operation::kTaskUpdate, kWrites, kAnyone, update_task},
    Operation{operation::kTaskCreate, kWrites, kAnyone, create_task},
    Operation{operation::kTaskList, kReads, kAnyone, list_tasks},
    Operation{operation::kTaskGet, kReads, kAnyone, get_task},
    Operation{operation::kRunAppend, kWrites, kOperatorOnly, append_to_run},
    Operation{operation::kRunEvents, kReads, kOperatorOnly, read_run},
    Operation{operation::kRunRenew, kWrites, kOperatorOnly, renew_lease},
    Operation{operation::kRunTell, kWrites, kOperatorOnly, tell_run},
    Operation{operation::kRunGet, kReads, kOperatorOnly, get_run},
    Operation{operation::kRunList, kReads, kOperatorOnly, list_runs},
    Operation{operation::kRunStart, kWrites, kOperatorOnly, start_run},
    Operation{operation::kRunLease, kWrites, kOperatorOnly, lease_run},
    Operation{operation::kRunRelease, kWrites, kOperatorOnly, release_lease},
    Operation{operation::kTeamCreate, kWrites, kOperatorOnly, create_team},
    Operation{operation::kTeamJoin, kWrites, kOperatorOnly, join_team},
    Operation{operation::kTeamLeave, kWrites, kOperatorOnly, leave_team},
    Operation{operation::kTeamTurn, kWrites, kOperatorOnly, set_turn},
    Operation{operation::kTurnGet, kReads, kOperatorOnly, get_turn},
    Operation{operation::kTeamList, kReads, kOperatorOnly, list_teams},
    Operation{operation::kTeamStatus, kReads, kAnyone, team_status},
    Operation{operation::kTeamShutdown, kWrites, kOperatorOnly, shut_down_team},
    Operation{operation::kTeamDelete, kWrites, kOperatorOnly, delete_team},
    Operation{operation::kTeamOrphans, kReads, kOperatorOnly, list_orphans},
    Operation{operation::kGc, kWrites, kOperatorOnly, collect_garbage},
};

// The refusal of a member whose epoch is over, if it is.
Result<std::optional<Error>> stale(Scene& scene, const Actor& actor) {
  const auto member = TRY(scene.tables().members.get(actor.member));
  if (!member)
    return std::optional<Error>(Error{Code::refused, fmt::format("member {} does not exist any more", actor.name), ""});
  if (member->epoch != actor.epoch)
    return std::optional<Error>(Error{Code::refused,
                                      fmt::format("this is epoch {} of member {}, which is in epoch {} by now",
                                                  actor.epoch.value, actor.name, member->epoch.value),
                                      "Its newer self carries on; end this process"});
  if (!member->live)
    return std::optional<Error>(Error{Code::refused,
                                      fmt::format("member {} is gone ({})", actor.name, member->left_why),
                                      "Its epoch has ended; end this process"});
  scene.self = *member;
  return std::optional<Error>();
}

}  // namespace

Outcome answered(const Json& answer) { return Outcome{dump_json(answer), {}, {}}; }

const Operation* find_operation(std::string_view name) {
  const auto it =
      std::find_if(kOperations.begin(), kOperations.end(), [&](const auto& each) { return each.name == name; });
  return it == kOperations.end() ? nullptr : &*it;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& operation : kOperations) names.emplace_back(operation.name);
  return names;
}

Result<Outcome> perform(Scene& scene, const Actor& actor, const Operation& operation, const Json& args) {
  if (operation.operator_only && !actor.is_operator)
    return fail(Code::refused, fmt::format("{} is for the operator, not for member {}", operation.name, actor.name));
  scene.self.reset();
  if (!actor.is_operator) {
    if (auto refusal = TRY(stale(scene, actor))) {
      if (operation.writes)
        TRY_VOID(scene.store.record(StaleRefused{actor.name, actor.epoch, operation.name}, actor.team, actor.name));
      return Outcome{{}, {}, std::move(refusal)};
    }
  }
  return operation.run(scene, actor, args);
}

}  // namespace teamster::team
