#include "workflow/core/decision.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/condition.h"
#include "workflow/core/declining.h"
#include "workflow/core/next.h"
#include "workflow/core/people.h"
#include "workflow/format/configuration.h"
#include "workflow/format/entry.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kStraysShownBytes = 1000;

// A step's attempts are counted over the run, so that "run-tests.2" is one try and no other.
std::int64_t next_attempt(const RunState& state, const std::string& step) {
  const auto found = state.attempts.find(step);
  return found == state.attempts.end() ? 1 : found->second + 1;
}

std::string as_text(const Json& value, const char* name) {
  const Json found = value_at(value, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// The workflow as the user wants it; nothing: as it is. The event may be what says so.
std::optional<Workflow> configured(const Pinned& pinned, const RunState& before, const RunEvent& event) {
  RunState state;
  state.configuration = before.configuration;
  state.budget = before.budget;
  if (event.is<event::Started>() || event.is<event::Adjusted>()) apply(state, event);
  if (state.configuration.empty() && state.budget.is_null()) return std::nullopt;
  Workflow workflow = pinned.workflow;
  configure(workflow, state.configuration);
  workflow.budget = budget_of(pinned.workflow, state);
  return workflow;
}

std::optional<RunCommand> open_effect(const RunState& state, const RunEvent& event) {
  const auto open = state.open.find(effect_id(event.step, event.attempt));
  return open == state.open.end() ? std::nullopt : std::optional(open->second);
}

}  // namespace

std::vector<RunCommand> next(const Pinned& pinned, const RunState& state, const RunEvent& event) {
  const RunEvent heard = unless_declined(pinned, state, event);
  Decision decision(pinned, state, heard);
  decision.decide();
  return decision.take_commands();
}

RunRecord advance(const Pinned& pinned, RunState& state, RunEvent event) {
  RunRecord record{unless_declined(pinned, state, std::move(event)), {}};
  Decision decision(pinned, std::move(state), record.event);
  decision.decide();
  record.commands = decision.take_commands();
  state = decision.take_state();
  return record;
}

Decision::Decision(const Pinned& pinned, RunState state, const RunEvent& event)
    : pinned_(pinned),
      configured_(configured(pinned, state, event)),
      workflow_(configured_ ? *configured_ : pinned.workflow),
      event_(event),
      settled_(open_effect(state, event)),
      state_(std::move(state)) {
  apply(state_, event);
}

void Decision::decide() {
  if (const auto* reopened = event_.as<event::Reopened>()) return reopen(*reopened);
  if (state_.has_ended()) return;
  if (event_.is<event::Started>()) return start();
  if (const auto* asked = event_.as<event::CancelAsked>(); asked != nullptr && state_.ending.empty())
    return end_with(status::kCancelled, fmt::format("cancelled by {}", asked->spoken.by.value_or("")));
  if (const auto* asked = event_.as<event::Asked>(); asked != nullptr && state_.ending.empty())
    return agent_asked(*asked);
  if (const auto* strayed = event_.as<event::MemberStrayed>())
    return warn_of_strays(strayed->member, {strayed->paths, strayed->aside}, strayed->member);
  if (event_.is<event::Adjusted>() && state_.ending.empty()) return adjusted();
  // An attempt that was given up, or a phase that was left.
  if (!settled_) return;
  if (event_.is<event::TeamGone>()) return team_gone();
  // What still comes in has no effect. A sub-run that could not be ended is in the record, and keeps nobody.
  if (!state_.ending.empty()) return settled_->is<command::EndSubRun>() ? end_when_all_are_gone() : void();
  warn_of_strays();
  if (event_.is<event::TeamReady>()) return team_ready();
  if (event_.is<event::Done>()) return step_done();
  if (const auto* failed = event_.as<event::Failed>()) return step_failed(failed->fault, failed->error);
  if (const auto* lost = event_.as<event::MemberLost>()) return member_lost(*lost);
  if (const auto* due = event_.as<event::Due>()) return step_due(*due);
  if (const auto* declined = event_.as<event::Declined>()) return decline(*declined);
  if (event_.is<event::OutcomeUnknown>()) return step_unknown();
  if (const auto* decided = event_.as<event::Decided>()) return step_decided(*settled_, decided->decision);
}

// What a member had no business to change is put back, and the user is told.
void Decision::warn_of_strays() {
  const auto* done = event_.as<event::Done>();
  const auto* failed = event_.as<event::Failed>();
  const auto* strayed = done != nullptr && done->strayed       ? &*done->strayed
                        : failed != nullptr && failed->strayed ? &*failed->strayed
                                                               : nullptr;
  const auto* turn = settled_->as<command::Turn>();
  if (strayed != nullptr && turn != nullptr) warn_of_strays(turn->member, *strayed, settled_->id());
}

void Decision::warn_of_strays(const std::string& member, const event::Strayed& strayed, const std::string& about) {
  std::string text = fmt::format("{} changed what its role may not write: {}", member,
                                 beginning_of(join(strayed.paths, ", "), kStraysShownBytes));
  text +=
      strayed.aside.empty() ? "; it was put back" : fmt::format("; it was put back, and is kept as {}", strayed.aside);
  emit_fact(command::Warn{.about = about, .text = std::move(text)});
}

// --- phases and ways

// The sender for a run that is taken up from a ledger, which does not say it: the phase with the newest answer that
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

void Decision::enter(const Phase* target, const std::string& sender, std::map<std::string, std::int64_t> loops) {
  while (target != nullptr && is_within(*target) && !only_holds(pinned_, moment(*target), target->only))
    target = phase_after(*target);
  if (target == nullptr || !is_within(*target)) return end_with(status::kDone, "");
  for (const auto& [name, loop] : workflow_.loops)
    if (loop.resets == target->id && entry_of(state_.loops, name) != 0) loops[name] = 0;
  emit_fact(command::Enter{.phase = target->id, .sender = sender, .stage = target->stage, .loops = std::move(loops)});
  begin_phase(*target);
  retire_members();
}

void Decision::begin_phase(const Phase& target) {
  if (is_run_team_due(target)) return make_way_for_run_team();
  switch (target.kind) {
    case Phase::Kind::agent:
      return begin_agent(target);
    case Phase::Kind::fanout:
      return begin_items(target);
    case Phase::Kind::ask:
    case Phase::Kind::gate:
      return begin_question(target);
    case Phase::Kind::check:
    case Phase::Kind::notify:
      return begin_check(target);
    case Phase::Kind::workflow:
      return target.items ? begin_items(target) : begin_sub_run(target, target.id);
    case Phase::Kind::commit:
      return begin_commit(target);
  }
}

// From here on the answer counts: it gets its artifact, and loops that count this phase go on.
void Decision::settle(const Phase& settled, const Json& answer, bool is_changed) {
  command::Settle settles{.phase = settled.id};
  for (const auto& [name, loop] : workflow_.loops)
    if (loop.counts == settled.id) settles.loops[name] = entry_of(state_.loops, name) + 1;
  // What agents answer leaves an artifact; what the engine or a person does is in the journal.
  const bool has_artifact = settled.kind == Phase::Kind::agent || settled.kind == Phase::Kind::fanout;
  settles.sequence = has_artifact ? state_.next_sequence : 0;
  if (is_changed) settles.answer = answer;
  emit_fact(std::move(settles));
  if (state_.phase_team.empty()) return leave(settled, answer);
  // First its team goes, so that the phase can be entered again.
  emit(step_of(settled.id, kTeamEnd), command::EndTeam{.team = state_.phase_team});
}

void Decision::leave(const Phase& left, const Json& answer) {
  for (const auto* ways : {&workflow_.always, &left.on})
    for (const auto& way : *ways)
      if (holds(moment(left), way.when, answer)) return take(left, way, answer);
  // What nobody approved is not approved, whether or not the workflow has a way for it.
  if (left.kind == Phase::Kind::gate && value_at(answer, "approved") != Json(true))
    return end_with(status::kBlocked, fmt::format("{}: not approved: {}", left.id, as_text(answer, "feedback")));
  enter(phase_after(left), left.id);
}

void Decision::take(const Phase& from, const Way& way, const Json& answer) {
  if (way.end == Way::End::done) return end_with(status::kDone, "");
  if (way.end == Way::End::block || way.end == Way::End::fail) {
    const auto reason = short_text(pinned_, moment(from, nullptr, &answer), way.reason);
    return end_with(way.end == Way::End::block ? status::kBlocked : status::kFailed,
                    fmt::format("{}: {}", from.id, reason ? *reason : reason.error().text()));
  }
  std::map<std::string, std::int64_t> loops;
  if (!way.loop.empty()) {
    const Loop& loop = workflow_.loops.at(way.loop);
    const std::int64_t count = entry_of(state_.loops, loop.name);
    if (count >= loop.max) return loop_is_over(from, loop, answer);
    if (loop.counts.empty()) loops[loop.name] = count + 1;
  }
  enter(phase(way.target), from.id, std::move(loops));
}

// --- what is there

const Phase* Decision::phase(const std::string& id) const {
  const auto found =
      std::find_if(workflow_.phases.begin(), workflow_.phases.end(), [&](const Phase& each) { return each.id == id; });
  return found == workflow_.phases.end() ? nullptr : &*found;
}

const Phase& Decision::first_phase() const { return workflow_.phases[extent_of(workflow_, state_.entry).first]; }

// The run is done where it would go on behind the last phase of its entry.
bool Decision::is_within(const Phase& given) const {
  return static_cast<std::size_t>(given.number) <= extent_of(workflow_, state_.entry).last + 1;
}

const Phase* Decision::phase_after(const Phase& given) const {
  const auto number = static_cast<std::size_t>(given.number);
  return number < workflow_.phases.size() ? &workflow_.phases[number] : nullptr;
}

const Json* Decision::item_of(const std::string& step) const {
  const RunItem* found = state_.items.find(number_of_item(step));
  return found == nullptr ? nullptr : &found->item;
}

Moment Decision::moment_of(const Phase& of, const std::string& step, const Json* answer) const {
  Moment at = moment(of, nullptr, answer);
  at.item_number = number_of_item(step);
  at.item = item_of(step);
  return at;
}

std::int64_t Decision::attempts_of(const std::string& step) const {
  const auto found = state_.attempts.find(step);
  return found == state_.attempts.end() ? 0 : found->second;
}

bool Decision::is_open(const std::string& step) const {
  const auto attempt = state_.attempts.find(step);
  return attempt != state_.attempts.end() && state_.open.count(effect_id(step, attempt->second)) != 0;
}

const Json& Decision::event_answer() const {
  static const Json kNothing;
  const auto* done = event_.as<event::Done>();
  return done == nullptr ? kNothing : done->answer;
}

std::optional<std::string> Decision::text_or_park(const Phase& of, const std::string& step, const std::string& text,
                                                  const Json* answer) {
  auto rendered = short_text(pinned_, moment_of(of, step, answer), text);
  if (rendered) return *rendered;
  park_words(step, rendered.error());
  return std::nullopt;
}

void Decision::emit(std::string step, CommandBody body) {
  RunCommand command{std::move(body), std::move(step), 0};
  command.attempt = next_attempt(state_, command.step);
  apply(state_, event_, command);
  commands_.push_back(std::move(command));
}

void Decision::emit_fact(CommandBody body) {
  RunCommand command{std::move(body), "", 0};
  apply(state_, event_, command);
  commands_.push_back(std::move(command));
}

}  // namespace teamster::workflow
