#include "workflow/core/decision.h"

#include <algorithm>

#include <fmt/format.h>

#include "workflow/core/next.h"

namespace teamster::workflow {
namespace {

// A step's attempts are counted over the run, so that "run-tests.2" is one try and no other.
std::int64_t next_attempt(const RunState& state, const std::string& step) {
  const auto found = state.attempts.find(step);
  return found == state.attempts.end() ? 1 : found->second + 1;
}

std::string as_text(const Json& value, const char* name) {
  const Json found = value_at(value, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// Such a role has members ROLE-1, ROLE-2, … while its phase lasts; one with the role's own name would never be asked.
bool works_on_items_only(const Workflow& workflow, const std::string& role) {
  bool is_for_items = false;
  for (const auto& phase : workflow.phases) {
    const bool has_items = phase.kind == Phase::Kind::fanout || phase.kind == Phase::Kind::pool;
    if (phase.merge == role || (!has_items && phase.role == role)) return false;
    is_for_items = is_for_items || phase.role == role ||
                   std::find(phase.roles.begin(), phase.roles.end(), role) != phase.roles.end();
  }
  return is_for_items;
}

std::optional<RunCommand> open_effect(const RunState& state, const RunEvent& event) {
  const auto open = state.open.find(fmt::format("{}.{}", event.step, event.attempt));
  return open == state.open.end() ? std::nullopt : std::optional(open->second);
}

}  // namespace

std::vector<RunCommand> next(const Pinned& pinned, const RunState& state, const RunEvent& event) {
  Decision decision(pinned, state, event);
  decision.decide();
  return decision.take_commands();
}

RunRecord advance(const Pinned& pinned, RunState& state, RunEvent event) {
  RunRecord record{std::move(event), {}};
  Decision decision(pinned, std::move(state), record.event);
  decision.decide();
  record.commands = decision.take_commands();
  state = decision.take_state();
  return record;
}

Decision::Decision(const Pinned& pinned, RunState state, const RunEvent& event)
    : pinned_(pinned),
      workflow_(pinned.workflow),
      event_(event),
      settled_(open_effect(state, event)),
      state_(std::move(state)) {
  apply(state_, event);
}

void Decision::decide() {
  if (state_.has_ended()) return;
  const std::string& kind = event_.kind;
  if (kind == event::kStarted) return start();
  if (kind == event::kCancelled && state_.ending.empty())
    return end_with(status::kCancelled, fmt::format("cancelled by {}", event_text("by")));
  // An attempt that was given up, or a phase that was left.
  if (!settled_) return;
  if (kind == event::kTeamGone) return team_gone();
  // What still comes in has no effect. A sub-run that could not be ended is in the record, and keeps nobody.
  if (!state_.ending.empty()) return settled_->kind == command::kEndSubRun ? end_when_all_are_gone() : void();
  if (kind == event::kTeamReady) return team_ready();
  if (kind == event::kDone) return step_done();
  if (kind == event::kFailed) return step_failed(event_text("fault"), event_text("error"));
  if (kind == event::kMemberLost) return member_lost();
  if (kind == event::kDue) return step_due();
  if (kind == event::kUnknown) return step_unknown();
  if (kind == event::kDecided) return step_decided(*settled_, event_text("decision"));
}

// --- phases and ways

void Decision::start() {
  if (workflow_.roles.empty()) return team_ready();  // nobody to be in one
  Json members = Json::array();
  if (workflow_.team.scope == Team::Scope::run)
    for (const auto& [name, role] : workflow_.roles)
      if (!role.is_native && !works_on_items_only(workflow_, name)) members.push_back({{"name", name}, {"role", name}});
  std::string team = pinned_.run;
  if (!workflow_.team.name.empty() && workflow_.team.scope == Team::Scope::run) {
    auto name = short_text(pinned_, {state_}, workflow_.team.name);
    if (!name) return end_with(status::kBlocked, name.error().text());
    team = *name;
  }
  emit(command::kMakeTeam, "team", {{"team", team}, {"members", std::move(members)}});
}

void Decision::team_ready() {
  if (const Phase* current = phase(state_.phase))
    return state_.items.empty() ? begin_phase(*current) : go_on_with_items(*current);
  const Phase* first = phase(state_.start_phase);
  if (first == nullptr) return enter(&workflow_.phases.front(), "", Json::object());
  enter(first, latest_sender(*first), Json::object());
}

// Of a run that is taken up from a ledger, which does not say it: the newest answer of a phase that
// can have led there.
std::string Decision::latest_sender(const Phase& target) const {
  std::string sender;
  std::int64_t latest = 0;
  for (const auto& each : workflow_.phases) {
    const auto answer = state_.answers.find(each.id);
    if (answer == state_.answers.end() || answer->second.sequence <= latest) continue;
    const bool leads_there =
        phase_after(each) == &target ||
        std::any_of(each.on.begin(), each.on.end(), [&](const Way& way) { return way.target == target.id; });
    if (!leads_there) continue;
    sender = each.id;
    latest = answer->second.sequence;
  }
  return sender;
}

void Decision::team_gone() {
  if (!state_.ending.empty()) return end_when_all_are_gone();
  // It was the team of a phase, whose answer is settled already.
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (event_.step != current->id + "/end-team") return item_team_gone(*current);
  const auto answer = state_.answers.find(current->id);
  if (answer != state_.answers.end()) leave(*current, Json(answer->second.value));
}

void Decision::enter(const Phase* target, const std::string& sender, const Json& loops) {
  while (target != nullptr && !is_wanted(pinned_, state_, *target)) target = phase_after(*target);
  if (target == nullptr) return end_with(status::kDone, "");
  emit_fact(command::kEnter, {{"phase", target->id}, {"sender", sender}, {"loops", loops}});
  begin_phase(*target);
}

void Decision::begin_phase(const Phase& target) {
  switch (target.kind) {
    case Phase::Kind::agent:
      return begin_agent(target);
    case Phase::Kind::fanout:
    case Phase::Kind::pool:
      return begin_items(target);
    case Phase::Kind::ask:
    case Phase::Kind::gate:
      return begin_question(target);
    case Phase::Kind::check:
    case Phase::Kind::notify:
      return begin_check(target);
    case Phase::Kind::workflow:
      return begin_sub_runs(target);
    case Phase::Kind::commit:
      return begin_commit(target);
  }
}

// From here on the answer counts: it gets its artifact, and loops that count this phase go on.
void Decision::settle(const Phase& settled, const Json& answer, bool is_changed) {
  Json loops = Json::object();
  for (const auto& [name, loop] : workflow_.loops)
    if (loop.counts == settled.id) loops[name] = entry_of(state_.loops, name) + 1;
  // What agents answer leaves an artifact; what the engine or a person does is in the journal.
  const bool has_artifact =
      settled.kind == Phase::Kind::agent || settled.kind == Phase::Kind::fanout || settled.kind == Phase::Kind::pool;
  Json body = {{"phase", settled.id}, {"sequence", has_artifact ? state_.next_sequence : 0}, {"loops", loops}};
  if (is_changed) body["answer"] = answer;
  emit_fact(command::kSettle, std::move(body));
  if (state_.phase_team.empty()) return leave(settled, answer);
  // First its team goes, so that the phase can be entered again.
  emit(command::kEndTeam, settled.id + "/end-team", {{"team", state_.phase_team}});
}

void Decision::leave(const Phase& left, const Json& answer) {
  for (const auto* ways : {&workflow_.always, &left.on})
    for (const auto& way : *ways)
      if (holds(way.when, answer)) return take(left, way, answer);
  // What nobody approved is not approved, whether or not the workflow has a way for it.
  if (left.kind == Phase::Kind::gate && value_at(answer, "approved") != Json(true))
    return end_with(status::kBlocked, fmt::format("{}: not approved: {}", left.id, as_text(answer, "feedback")));
  enter(phase_after(left), left.id, Json::object());
}

void Decision::take(const Phase& from, const Way& way, const Json& answer) {
  if (way.end == Way::End::done) return end_with(status::kDone, "");
  if (way.end == Way::End::block || way.end == Way::End::fail) {
    const auto reason = short_text(pinned_, moment(from, nullptr, &answer), way.reason);
    return end_with(way.end == Way::End::block ? status::kBlocked : status::kFailed,
                    fmt::format("{}: {}", from.id, reason ? *reason : reason.error().text()));
  }
  Json loops = Json::object();
  if (!way.loop.empty()) {
    const Loop& loop = workflow_.loops.at(way.loop);
    const std::int64_t count = entry_of(state_.loops, loop.name);
    if (count >= loop.max) return loop_is_over(from, loop, answer);
    if (loop.counts.empty()) loops[loop.name] = count + 1;
  }
  enter(phase(way.target), from.id, loops);
}

void Decision::loop_is_over(const Phase& from, const Loop& loop, const Json& answer) {
  const std::string what =
      fmt::format("{}: the loop {} has been taken {} times, which is its limit", from.id, loop.name, loop.max);
  switch (loop.then) {
    case Loop::Then::block:
      return end_with(status::kBlocked, what);
    case Loop::Then::fail:
      return end_with(status::kFailed, what);
    case Loop::Then::escalate:
      return ask_owner(from.id + "/escalate", what + ". How shall it go on?", {"again", "accept", "stop"});
    case Loop::Then::accept:
      break;
  }
  emit_fact(command::kNote, {{"phase", from.id}, {"loop", loop.name}, {"answer", answer}});
  enter(phase_after(from), from.id, Json::object());
}

// First what belongs to it goes: sub-runs that are under way, and teams.
void Decision::end_with(const std::string& status, const std::string& reason) {
  state_.ending = status;
  state_.ending_reason = reason;
  const auto open = state_.open;
  for (const auto& [id, under_way] : open)
    if (under_way.kind == command::kSubRun)
      emit(command::kEndSubRun, under_way.step + "/end", {{"of", id}, {"status", status}, {"reason", reason}});
  const auto teams = state_.teams;
  for (const auto& team : teams)
    emit(command::kEndTeam, "end-" + team, {{"team", team}, {"status", status}, {"reason", reason}});
  end_when_all_are_gone();
}

void Decision::end_when_all_are_gone() {
  const bool others_end = std::any_of(state_.open.begin(), state_.open.end(), [](const auto& open) {
    return open.second.kind == command::kEndTeam || open.second.kind == command::kEndSubRun;
  });
  if (state_.teams.empty() && !others_end) end_now();
}

void Decision::end_now() {
  const std::string status = state_.ending;
  const std::string reason = state_.ending_reason;
  emit(command::kEnd, "end",
       {{"status", status}, {"reason", reason}, {"report", report_of(pinned_, state_, status, reason)}});
}

// --- what is there

const Phase* Decision::phase(const std::string& id) const {
  const auto found =
      std::find_if(workflow_.phases.begin(), workflow_.phases.end(), [&](const Phase& each) { return each.id == id; });
  return found == workflow_.phases.end() ? nullptr : &*found;
}

const Phase* Decision::phase_after(const Phase& given) const {
  const auto number = static_cast<std::size_t>(given.number);
  return number < workflow_.phases.size() ? &workflow_.phases[number] : nullptr;
}

std::string Decision::team() const {
  if (!state_.phase_team.empty()) return state_.phase_team;
  return state_.teams.empty() ? pinned_.run : state_.teams.front();
}

std::string Decision::team_for(const Phase& of, const std::string& step) const {
  if (!has_item_teams(of) || item_of(step) == nullptr) return team();
  return team_of_item(of, step).value_or(team());
}

std::int64_t Decision::attempts_of(const std::string& step) const {
  const auto found = state_.attempts.find(step);
  return found == state_.attempts.end() ? 0 : found->second;
}

bool Decision::is_open(const std::string& step) const {
  const auto attempt = state_.attempts.find(step);
  return attempt != state_.attempts.end() && state_.open.count(fmt::format("{}.{}", step, attempt->second)) != 0;
}

const Json& Decision::event_answer() const {
  static const Json kNothing;
  const auto found = event_.body.find("answer");
  return found == event_.body.end() ? kNothing : *found;
}

std::string Decision::event_text(const char* name) const {
  const auto found = event_.body.find(name);
  return found != event_.body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> Decision::text_or_block(const Phase& of, const std::string& text, const Json* answer) {
  auto rendered = short_text(pinned_, moment(of, nullptr, answer), text);
  if (rendered) return *rendered;
  end_with(status::kBlocked, rendered.error().text());
  return std::nullopt;
}

void Decision::emit(const char* kind, std::string step, Json body) {
  RunCommand command{kind, std::move(step), 0, std::move(body)};
  command.attempt = next_attempt(state_, command.step);
  apply(state_, event_, command);
  commands_.push_back(std::move(command));
}

void Decision::emit_fact(const char* kind, Json body) {
  RunCommand command{kind, "", 0, std::move(body)};
  apply(state_, event_, command);
  commands_.push_back(std::move(command));
}

}  // namespace teamster::workflow
