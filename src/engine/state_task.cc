#include "engine/state_task.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "engine/state_following.h"
#include "protocol/client/call.h"
#include "protocol/client/task_calls.h"
#include "protocol/words/addresses.h"
#include "workflow/core/step_names.h"

namespace teamster::engine {

namespace command = workflow::command;

void StateTask::follow(const workflow::RunState& state) {
  const auto& wanted = pinned_.workflow.state;
  if (!wanted || wanted->task.empty() || state.run_team.empty()) return;
  // A team that is being made or ended has no list.
  const bool is_there = std::none_of(state.open.begin(), state.open.end(), [&](const auto& open) {
    const auto* made = open.second.template as<command::MakeTeam>();
    return made != nullptr && made->team == state.run_team;
  });
  if (!is_there) return;
  const auto subject = workflow::short_text(pinned_, {state}, wanted->task);
  auto fields = state_fields(pinned_, state);
  if (!subject || !fields) return;
  wanted_ = Carried{state.run_team, *subject, *std::move(fields), state.ending == workflow::status::kDone};
  go_on();
}

void StateTask::go_on() {
  if (is_busy_ || !wanted_ || wanted_ == written_) return;
  is_busy_ = true;
  const Carried carried = *wanted_;
  if (team_of_task_ == carried.team) return update(carried);
  hub::CreateTask create{.team = carried.team, .subject = carried.subject};
  create.reserved = fmt::format("the state of run {}: only its engine writes it", pinned_.run);
  const std::string key = "state-" + to_hex(sha256(fmt::format("{}/{}", pinned_.run, carried.team)));
  calls_.call(hub::request_for(std::move(create), {.key = key}), [this, carried](Result<Json> answer) {
    const auto made = hub::read_answer<hub::CreateTask>(std::move(answer));
    if (!made) return over(false, carried);
    task_ = made->id;
    claim(carried);
  });
}

// In the name of the lead, who sits in every team: what is under way has an owner.
void StateTask::claim(const Carried& carried) {
  hub::ClaimTask claimed{.team = carried.team, .member = kLead, .id = task_, .is_reserved = true};
  calls_.call(hub::request_for(std::move(claimed)), [this, carried](Result<Json> answer) {
    if (!hub::read_answer<hub::ClaimTask>(std::move(answer))) return over(false, carried);
    team_of_task_ = carried.team;
    update(carried);
  });
}

void StateTask::update(const Carried& carried) {
  hub::UpdateTask change{.team = carried.team, .id = task_};
  change.is_reserved = true;
  if (carried.is_done) change.status = TaskStatus::completed;
  change.metadata = carried.fields;
  calls_.call(hub::request_for(std::move(change)), [this, carried](Result<Json> answer) {
    over(hub::read_answer<hub::UpdateTask>(std::move(answer)).has_value(), carried);
  });
}

// What could not be written is tried again with the next record.
void StateTask::over(bool is_good, const Carried& carried) {
  is_busy_ = false;
  if (!is_good) {
    team_of_task_.clear();
    return;
  }
  written_ = carried;
  go_on();
}

}  // namespace teamster::engine
