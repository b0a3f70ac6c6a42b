#include "team/operation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
    Operation{"message.send", kWrites, kAnyone, send_message},
    Operation{"message.wait", kWrites, kAnyone, wait_for_message, render_messages},
    Operation{"message.inbox", kWrites, kAnyone, read_inbox, render_messages},
    Operation{"message.ack", kWrites, kAnyone, acknowledge_messages},
    Operation{"message.broadcast", kWrites, kAnyone, broadcast_message},
    Operation{"message.receipt", kReads, kAnyone, message_receipt},
    Operation{"task.claim", kWrites, kAnyone, claim_task, render_claim},
    Operation{"task.update", kWrites, kAnyone, update_task},
    Operation{"task.create", kWrites, kAnyone, create_task},
    Operation{"task.list", kReads, kAnyone, list_tasks},
    Operation{"task.get", kReads, kAnyone, get_task},
    Operation{"run.append", kWrites, kOperatorOnly, append_to_run},
    Operation{"run.events", kReads, kOperatorOnly, read_run},
    Operation{"run.renew", kWrites, kOperatorOnly, renew_lease},
    Operation{"run.tell", kWrites, kOperatorOnly, tell_run},
    Operation{"run.get", kReads, kOperatorOnly, get_run},
    Operation{"run.list", kReads, kOperatorOnly, list_runs},
    Operation{"run.start", kWrites, kOperatorOnly, start_run},
    Operation{"run.lease", kWrites, kOperatorOnly, lease_run},
    Operation{"run.release", kWrites, kOperatorOnly, release_lease},
    Operation{"team.create", kWrites, kOperatorOnly, create_team},
    Operation{"team.join", kWrites, kOperatorOnly, join_team},
    Operation{"team.leave", kWrites, kOperatorOnly, leave_team},
    Operation{"team.turn", kWrites, kOperatorOnly, set_turn},
    Operation{"turn.get", kReads, kOperatorOnly, get_turn},
    Operation{"team.list", kReads, kOperatorOnly, list_teams},
    Operation{"team.status", kReads, kAnyone, team_status},
    Operation{"team.shutdown", kWrites, kOperatorOnly, shut_down_team},
    Operation{"team.delete", kWrites, kOperatorOnly, delete_team},
    Operation{"team.orphans", kReads, kOperatorOnly, list_orphans},
    Operation{"gc", kWrites, kOperatorOnly, collect_garbage},
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
        TRY_VOID(scene.store.record(store::kind::kStaleRefused, actor.team, actor.name,
                                    {{"member", actor.name}, {"epoch", actor.epoch.value}, {"op", operation.name}}));
      return Outcome{{}, {}, std::move(refusal)};
    }
  }
  return operation.run(scene, actor, args);
}

}  // namespace teamster::team
