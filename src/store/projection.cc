#include "store/projection.h"

#include <array>
#include <string_view>

namespace teamster::store {
namespace {

using Apply = Result<void> (*)(Projection&, const Event&);

struct Rule {
  std::string_view kind;
  Apply apply;
};

Result<void> team_created(Projection& to, const Event& event) {
  TRY_VOID(to.teams.apply_created(event));
  return to.members.add_operator(event);
}

Result<void> team_shutdown(Projection& to, const Event& event) {
  TRY_VOID(to.members.apply_shutdown(event));
  return to.teams.apply_shutdown(event);
}

Result<void> member_turn(Projection& to, const Event& event) {
  TRY_VOID(to.members.apply_turn(event));
  TRY_VOID(to.turns.apply_turn(event));
  return to.messages.apply_turn(event);
}

constexpr std::array kRules{
    Rule{kind::kMessageSent, [](Projection& to, const Event& event) { return to.messages.apply_sent(event); }},
    Rule{kind::kMessageDelivered,
         [](Projection& to, const Event& event) { return to.messages.apply_delivered(event); }},
    Rule{kind::kMessageMarked, [](Projection& to, const Event& event) { return to.messages.apply_marked(event); }},
    Rule{kind::kMessageRequeued, [](Projection& to, const Event& event) { return to.messages.apply_requeued(event); }},
    Rule{kind::kMessageDead, [](Projection& to, const Event& event) { return to.messages.apply_dead(event); }},
    Rule{kind::kTaskClaimed, [](Projection& to, const Event& event) { return to.tasks.apply_claimed(event); }},
    Rule{kind::kTaskUpdated, [](Projection& to, const Event& event) { return to.tasks.apply_updated(event); }},
    Rule{kind::kTaskCreated, [](Projection& to, const Event& event) { return to.tasks.apply_created(event); }},
    Rule{kind::kTaskReleased, [](Projection& to, const Event& event) { return to.tasks.apply_released(event); }},
    Rule{kind::kTeamCreated, team_created},
    Rule{kind::kTeamShutdown, team_shutdown},
    Rule{kind::kTeamDeleted, [](Projection& to, const Event& event) { return to.teams.apply_deleted(event); }},
    Rule{kind::kMemberJoined, [](Projection& to, const Event& event) { return to.members.apply_joined(event); }},
    Rule{kind::kMemberLeft, [](Projection& to, const Event& event) { return to.members.apply_left(event); }},
    Rule{kind::kMemberTurn, member_turn},
    Rule{kind::kMemberRejectedShutdown,
         [](Projection& to, const Event& event) { return to.members.apply_rejected_shutdown(event); }},
};

}  // namespace

Result<void> Projection::apply(const Event& event) {
  try {
    // Whatever its kind is: those of the engine are not known here.
    if (event.run.value != 0) return runs.apply(event);
    for (const auto& rule : kRules)
      if (rule.kind == event.kind) return rule.apply(*this, event);
  } catch (const Json::exception& error) {
    // Only a damaged or foreign journal has a body without its fields.
    return fail(Code::failed, "event " + std::to_string(event.seq.value) + " (" + event.kind + "): " + error.what());
  }
  return {};
}

Result<void> Projection::remove_team(TeamId team) {
  TRY_VOID(messages.remove_team(team));
  TRY_VOID(turns.remove_team(team));
  TRY_VOID(tasks.remove_team(team));
  TRY_VOID(members.remove_team(team));
  return teams.remove(team);
}

}  // namespace teamster::store
