// The part of Decision for work on several items: a queue, as many members at once as the phase allows, one turn for
// each item. What has passed stays passed when the phase is entered again.
#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "workflow/core/decision.h"

namespace teamster::workflow {
namespace {

// How many members a phase may have at once that does not say.
constexpr std::int64_t kMembersAtOnce = 5;

// What tells an item from others when its phase is entered again.
std::string key_of(const Json& item) {
  const std::string id = item_id(item);
  return id.empty() ? dump_json(item) : id;
}

}  // namespace

void Decision::begin_items(const Phase& target) {
  const Items& items = *target.items;
  if (!items.checklist.empty()) return group_is_over(target);
  if (!items.criteria.empty()) {
    const auto path = text_or_park(target, target.id, items.criteria);
    if (path) emit(step_of(target.id, kItemList), command::ReadItems{.criteria = *path});
    return;
  }
  std::vector<Json> list = items.fixed;
  const auto take = [&](const Source& source) {
    const Json value = value_of(pinned_, moment(target), source);
    if (value.is_array()) list = value.get<std::vector<Json>>();
  };
  if (items.source) take(*items.source);
  for (const auto& source : items.or_from)
    if (list.empty()) take(source);
  items_known(target, std::move(list));
}

// What is wrong with a list in the answer that a later phase takes its items from: said now, while whoever made it
// can mend it. Empty when nothing is.
std::string Decision::why_no_items(const Phase& answered, const Json& answer) const {
  for (const auto& each : workflow_.phases) {
    if (!each.items || !each.items->source) continue;
    std::vector<Source> sources = each.items->or_from;
    sources.push_back(*each.items->source);
    for (const auto& source : sources) {
      if (source.kind != Source::Kind::answer || source.name != answered.id) continue;
      const Json list = value_at(answer, join(source.path, "/"));
      if (!list.is_array()) continue;
      const auto graph = checked_graph(list.get<std::vector<Json>>(), each.items->owns, roles_of(each));
      if (!graph) return fmt::format("{}: {}", join(source.path, "/"), graph.error().text());
    }
  }
  return {};
}

// All items of the phase, or the next group of a checklist.
void Decision::items_known(const Phase& target, std::vector<Json> items) {
  const bool is_group = !target.items->checklist.empty();
  if (items.empty()) return items_over(target);
  const std::int64_t from = state_.items.size() + 1;
  const auto count = state_.items.size() + static_cast<std::int64_t>(items.size());
  const auto is_known = [&](const std::string& id) { return state_.items.has(id); };
  Result<std::vector<Json>> ordered = fail(
      Code::invalid, fmt::format("there are {} items, and a phase takes at most {}", count, limits::kItemsMax), "");
  if (count <= limits::kItemsMax) ordered = in_order(std::move(items), is_known, from);
  if (ordered)
    if (const auto owned = check_owners(*ordered, target.items->owns); !owned) ordered = fail(owned.error());
  if (!ordered) return park_words(step_of(target.id, kItemList), ordered.error());
  const std::vector<Json> findings = is_group ? std::vector<Json>() : findings_for(target, *ordered);
  emit_fact(command::Items{
      .list = *std::move(ordered), .findings = findings, .append = from > 1, .group = is_group && from > 1});
  if (!is_group) carry_over(target, findings, from);
  state_.items.left() == 0 ? items_over(target) : begin_work(target, from);
}

// The team of the phase comes first, if it has one and there is enough to do for one.
void Decision::begin_work(const Phase& target, std::int64_t from) {
  const bool alone = state_.items.group_size() < target.items->at_least;
  if (target.team.scope == Team::Scope::phase && !alone && state_.phase_team.empty() &&
      is_team_wanted(target.team, moment(target), step_of(target.id, kTeam))) {
    const auto name = team_name(moment(target), target.team.name);
    if (!name) return park_words(step_of(target.id, kTeam), name.error());
    return emit(step_of(target.id, kTeam), command::MakeTeam{.team = *name, .members = members_for_items(target)});
  }
  make_tasks(target, from);
}

// What was found when the items had been done before, for each; an empty list when nothing was. Entries that name no
// item, or one that is not there, are for all.
std::vector<Json> Decision::findings_for(const Phase& target, const std::vector<Json>& items) const {
  const auto& source = target.items->findings;
  if (!source || state_.earlier.count(target.id) == 0) return {};
  Json found = value_of(pinned_, moment(target), *source);
  if (!found.is_array()) found = Json::array();
  for (const auto& more : target.items->more_findings)
    if (const Json others = value_of(pinned_, moment(target), more); others.is_array())
      found.insert(found.end(), others.begin(), others.end());
  if (found.empty()) return {};
  std::map<std::string, Json> by_item;
  Json for_all = Json::array();
  std::set<std::string> keys;
  for (std::size_t i = 0; i < items.size(); ++i) {
    keys.insert(key_of(items[i]));
    keys.insert(std::to_string(i + 1));
  }
  for (const auto& entry : found) {
    const Json named = value_at(entry, target.items->finding_item);
    const std::string key = named.is_string() ? named.get<std::string>() : dump_json(named);
    if (keys.count(key) == 0)
      for_all.push_back(entry);
    else
      by_item[key].push_back(entry);
  }
  std::vector<Json> findings;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Json own = for_all;
    for (const auto& key : {key_of(items[i]), std::to_string(i + 1)})
      if (const auto entries = by_item.find(key); entries != by_item.end())
        own.insert(own.end(), entries->second.begin(), entries->second.end());
    findings.push_back(own.empty() ? Json() : std::move(own));
  }
  return findings;
}

// What had passed before, and of which nothing was found since, is not done again. When that would leave nothing to
// do, everything is: unless the phase never came to its answer, as in a run that was reopened before its merge.
void Decision::carry_over(const Phase& target, const std::vector<Json>& findings, std::int64_t from) {
  const auto before = state_.earlier.find(target.id);
  if (before == state_.earlier.end()) return;
  std::map<std::string, const RunItem*> passed;
  for (const auto& each : before->second.list())
    if (each.status == RunItem::Status::passed) passed[key_of(each.item)] = &each;
  std::vector<std::pair<std::int64_t, Json>> kept;
  for (std::int64_t number = from; number <= state_.items.size(); ++number) {
    const RunItem& item = *state_.items.find(number);
    const auto index = static_cast<std::size_t>(number - from);
    const auto known = passed.find(key_of(item.item));
    const bool is_found_wanting = index < findings.size() && !findings[index].is_null();
    if (known != passed.end() && known->second->item == item.item && !is_found_wanting)
      kept.emplace_back(number, known->second->answer);
  }
  const bool all = static_cast<std::int64_t>(kept.size()) == state_.items.size() - from + 1;
  if (all && state_.answers.count(target.id) != 0) return;
  for (auto& [number, answer] : kept)
    emit_fact(command::ItemDone{.number = number, .status = "passed", .answer = std::move(answer)});
}

std::vector<std::string> Decision::roles_of(const Phase& target) const {
  return target.roles.empty() ? std::vector{target.role} : target.roles;
}

std::int64_t Decision::members_at_once(const Phase& target) const {
  if (state_.items.group_size() < target.items->at_least) return 1;
  if (target.items->members > 0) return target.items->members;
  return target.kind == Phase::Kind::workflow ? 1 : kMembersAtOnce;
}

// The members that work on an item, or have to be gone before their names can be given again. A team that is being
// made counts as the member that will work in it, and a run below this one as the one that drives it.
std::set<std::string> Decision::busy_members(const Phase& target) const {
  std::set<std::string> busy;
  for (const auto& [id, open] : state_.open) {
    if (phase_of(open.step) != target.id) continue;
    if (open.is<command::MakeTeam>() || open.is<command::SubRun>()) busy.insert(open.step);
    if (const auto* turn = open.as<command::Turn>()) busy.insert(turn->member);
    // Who waits for the provider comes back to its item; so does who is proved or ticked, if that fails.
    if (const auto* wait = open.as<command::Wait>()) busy.insert(wait->turn.member);
    if (open.is<command::Check>() || open.is<command::Tick>())
      busy.insert(entry_of(state_.tries, without(without(open.step, kProof), kTick)).member);
    // Who waits for the owner because of what would be so for others, too, keeps its place: a login that is missing is
    // asked for by as many as work at once, and not by all items one after the other.
    if (const auto* question = open.as<command::Ask>(); question != nullptr && item_in(open.step) != 0) {
      const bool had_no_words = !question->turn && !question->about && open.step.ends_with(kStuck);
      if (had_no_words) busy.insert(open.step);
      if (question->turn && !question->options.empty() && question->options.front() == kSame)
        busy.insert(question->turn->member);
    }
    const auto* ended = open.as<command::EndTeam>();
    if (ended == nullptr) continue;
    for (const auto& [name, each] : state_.members)
      if (each.team == ended->team) busy.insert(name);
  }
  for (const auto& [member, turn] : state_.paused) busy.insert(member);
  return busy;
}

void Decision::go_on_with_items(const Phase& target) {
  if (state_.items.left() == 0) return items_over(target);
  const std::int64_t next = state_.items.next_ready();
  if (has_tasks(target) && next != 0 && state_.items.find(next)->task.empty()) return make_tasks(target, next);
  start_free_items(target);
}

// One member for each item, as many at once as the phase allows; the others wait for one to be free. All are known
// before the first is told, so that each can be told who has which. While an advisor looks at the task graph it stays
// as it is.
void Decision::start_free_items(const Phase& target) {
  if (is_open(step_of(target.id, kAdvice))) return;
  const std::int64_t most = members_at_once(target);
  std::set<std::string> busy = busy_members(target);
  std::vector<Turn> begun;
  std::map<std::int64_t, std::string> holders;
  std::int64_t number = state_.items.next_ready();
  for (; number != 0 && static_cast<std::int64_t>(busy.size()) < most; number = state_.items.next_ready(number)) {
    if (has_tasks(target) && state_.items.find(number)->task.empty()) break;
    auto turn = start_item(target, number, busy);
    if (!turn) continue;
    holders[number] = turn->member;
    begun.push_back(*std::move(turn));
  }
  for (auto& turn : begun) {
    turn.holders = &holders;
    say(target, std::move(turn));
  }
}

// The one that the item names, or whose model is the one that it names; otherwise they take turns. Who wants a model
// that no role has gets the first.
std::string Decision::role_of_item(const Phase& target, std::int64_t number) const {
  const auto roles = roles_of(target);
  const Json& item = state_.items.find(number)->item;
  if (const Json wanted = value_at(item, "role"); wanted.is_string()) return wanted.get<std::string>();
  const Json model = value_at(item, "model");
  if (!model.is_string()) return roles[static_cast<std::size_t>(number - 1) % roles.size()];
  const auto has_model = [&](const std::string& name) {
    const auto role = workflow_.roles.find(name);
    return role != workflow_.roles.end() && role->second.model == model.get<std::string>();
  };
  const auto found = std::find_if(roles.begin(), roles.end(), has_model);
  return found == roles.end() ? roles.front() : *found;
}

std::optional<Decision::Turn> Decision::start_item(const Phase& target, std::int64_t number,
                                                   std::set<std::string>& busy) {
  const std::string step = item_step(target.id, number);
  const RunItem& item = *state_.items.find(number);
  if (is_item_parked(step)) return std::nullopt;
  if (!is_item_ready(target, number)) {
    if (is_open(step_of(step, kTeam))) busy.insert(step_of(step, kTeam));
    return std::nullopt;
  }
  if (target.kind == Phase::Kind::workflow) {
    busy.insert(step);
    begin_sub_run(target, step);
    return std::nullopt;
  }
  const auto roles = roles_of(target);
  const std::string role = role_of_item(target, number);
  if (std::find(roles.begin(), roles.end(), role) == roles.end()) {
    park_words(step,
               Error{Code::invalid,
                     fmt::format("item {} is for the role {}, which this phase does not have", item.id, role), ""});
    return std::nullopt;
  }
  std::int64_t slot = 1;
  while (busy.count(fmt::format("{}-{}", role, slot)) != 0) ++slot;
  Turn turn{.step = step, .role = role, .member = fmt::format("{}-{}", role, slot), .returns = target.returns};
  busy.insert(turn.member);
  return turn;
}

void Decision::item_passed(const Phase& target, std::int64_t number, const Json& answer) {
  const std::string step = item_step(target.id, number);
  if (target.items->checklist.empty()) return item_over(target, number, RunItem::Status::passed, answer, "");
  const auto path = text_or_park(target, step, target.items->checklist);
  if (!path) return;
  const Json& item = state_.items.find(number)->item;
  const Json at = value_at(item, "number");
  const Json text = value_at(item, "text");
  emit(step_of(step, kTick), command::Tick{.checklist = *path,
                                           .number = at.is_number_integer() ? at.get<std::int64_t>() : number,
                                           .text = text.is_string() ? text.get<std::string>() : ""});
}

// What waits for an item that failed can never begin, and has failed with it.
void Decision::item_over(const Phase& target, std::int64_t number, RunItem::Status status, const Json& answer,
                         const std::string& why) {
  std::vector<std::int64_t> numbers{number};
  if (status == RunItem::Status::failed)
    for (const std::int64_t waiter : state_.items.waiting_for(number)) numbers.push_back(waiter);
  const RunItem* first = state_.items.find(number);
  const std::string id = first == nullptr ? "" : first->id;
  for (const std::int64_t each : numbers) {
    const RunItem* item = state_.items.find(each);
    if (item == nullptr || item->status == RunItem::Status::passed) continue;
    emit_fact(command::ItemDone{.number = each,
                                .status = std::string(to_string(status)),
                                .answer = answer,
                                .why = each == number ? why : fmt::format("it waits for {}, which has failed", id)});
    finish_task(target, each);
  }
  if (end_item_team(target, number)) return;
  go_on_with_items(target);
}

// The answers of those that have passed, in their order.
Json Decision::item_answers() const {
  Json answers = Json::array();
  for (const auto& item : state_.items.list())
    if (item.status == RunItem::Status::passed) answers.push_back(item.answer);
  return answers;
}

Decision::Turn Decision::merge_turn(const Phase& target) const {
  return {.step = step_of(target.id, kMerge),
          .role = target.merge,
          .member = target.merge,
          .template_file = target.merge_template,
          .returns = target.merge_returns,
          .answers = item_answers()};
}

// Nothing is left to do; the tasks and teams of the items have to be over, too.
void Decision::items_over(const Phase& target) {
  if (state_.items.left() != 0 || !state_.ending.empty()) return;
  const bool others_end = std::any_of(state_.open.begin(), state_.open.end(), [&](const auto& open) {
    return phase_of(open.second.step) == target.id && !open.second.template is<command::Ask>() &&
           !open.second.template is<command::Retire>();
  });
  if (others_end) return;
  const bool was_group = !target.items->checklist.empty() && settled_ && !event_.step.ends_with(kItemList);
  if (was_group && !state_.phase_team.empty())
    return emit(step_of(target.id, kGroupEnd), command::EndTeam{.team = state_.phase_team});
  if (was_group) return group_is_over(target);
  if (!target.merge.empty() && !state_.items.empty()) return say(target, merge_turn(target));
  settle(target, item_answers(), true);
}

// A checklist is read again until nothing is left in it but what the owner left out.
void Decision::group_is_over(const Phase& target) {
  const auto path = text_or_park(target, target.id, target.items->checklist);
  if (!path) return;
  command::ReadItems read{.checklist = *path, .group = target.items->group};
  // Looked for only where there is one: a list of thousands is read as often as it has groups.
  for (std::int64_t number = 1; state_.items.failed() > 0 && number <= state_.items.size(); ++number) {
    const RunItem& item = *state_.items.find(number);
    const Json at = item.status == RunItem::Status::failed ? value_at(item.item, "number") : Json();
    if (at.is_number_integer()) read.left_out.push_back(at.get<std::int64_t>());
  }
  emit(step_of(target.id, kItemList), std::move(read));
}

}  // namespace teamster::workflow
