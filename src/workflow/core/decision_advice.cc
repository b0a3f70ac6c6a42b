// The part of Decision for L3 of the ladder: several members of a phase are in trouble at once, so an advisor looks at
// the whole task graph. Once while the phase lasts: who is in trouble after that, or meanwhile, is a matter for a fresh
// agent or the owner.
#include <algorithm>

#include <fmt/format.h>

#include "workflow/core/decision.h"

namespace teamster::workflow {

AdviceScene Decision::advice_scene(const Phase& target) const {
  AdviceScene scene{.items = state_.items, .tries = state_.tries, .phase = target.id};
  for (const auto& [id, open] : state_.open) {
    if (phase_of(open.step) != target.id) continue;
    (open.is<command::Ask>() ? scene.parked : scene.under_way).insert(item_in(open.step));
  }
  for (const auto& [member, turn] : state_.paused) scene.under_way.insert(number_of_item(turn.step));
  return scene;
}

bool Decision::has_been_advised(const Phase& target) const {
  return state_.tries.count(step_of(target.id, kAdvice)) != 0;
}

void Decision::restructure(const Phase& target, const FullLadder& ladder, const std::string& step,
                           const std::string& error) {
  AdviceScene scene = advice_scene(target);
  scene.last = number_of_item(step);
  scene.last_error = error;
  say(target, {.step = step_of(target.id, kAdvice),
               .role = ladder.advisor,
               .member = ladder.advisor,
               .returns = kAdviceSchema,
               .advice = advice_request(scene)});
}

// The advisor's graph, if it keeps the rules; otherwise it is told which one it breaks.
void Decision::advised(const Phase& target, const Json& advice) {
  auto graph = advised_items(advice_scene(target), advice, roles_of(target));
  if (graph) {
    // What stays has its owners, too.
    std::vector<Json> all = graph->items;
    for (std::int64_t number = 1; number <= state_.items.size(); ++number) {
      const RunItem& item = *state_.items.find(number);
      const auto& replaced = graph->replaced;
      if (item.status != RunItem::Status::replaced &&
          std::find(replaced.begin(), replaced.end(), number) == replaced.end())
        all.push_back(item.item);
    }
    if (const auto owned = check_owners(all, target.items->owns); !owned) graph = fail(owned.error());
  }
  if (!graph)
    return turn_failed(target, step_of(target.id, kAdvice), "incomplete",
                       "the task graph cannot be used: " + graph.error().text());
  const std::int64_t from = state_.items.size() + 1;
  for (const std::int64_t number : graph->replaced) {
    withdraw_questions(target, number);
    emit_fact(command::ItemDone{.number = number, .status = "replaced", .why = "the advisor changed the task graph"});
    finish_task(target, number);
    end_item_team(target, number);
  }
  emit_fact(command::Items{.list = std::move(graph->items), .append = true});
  make_tasks(target, from);
}

// Nobody needs to say what becomes of an item that is not done any more.
void Decision::withdraw_questions(const Phase& target, std::int64_t number) {
  std::vector<std::string> ids;
  for (const auto& [id, open] : state_.open)
    if (open.is<command::Ask>() && phase_of(open.step) == target.id && item_in(open.step) == number) ids.push_back(id);
  for (auto& id : ids) emit_fact(command::Withdraw{.of = std::move(id)});
}

// There will be no other graph: who waited for it goes on with the next rung, and the others begin.
void Decision::go_on_without_advice(const Phase& target) {
  const AdviceScene scene = advice_scene(target);
  std::vector<std::int64_t> idle;
  for (std::int64_t number = 1; number <= state_.items.size(); ++number)
    if (must_be_replaced(scene, number) && state_.items.find(number)->status == RunItem::Status::active)
      idle.push_back(number);
  for (const std::int64_t number : idle) {
    const std::string step = item_step(target.id, number);
    Tried tried = tried_at(target, step);
    const RunTries tries = entry_of(state_.tries, step);
    tried.why = tries.why;
    if (tries.fresh < ladder_of(workflow_, target, tried.role).fresh)
      try_again(target, tried, rung::kFresh);
    else
      park_turn(target, tried, "");
  }
  start_free_items(target);
}

}  // namespace teamster::workflow
