#include "engine/ledger_following.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "project/ledger_place.h"
#include "project/project_values.h"
#include "workflow/format/entry.h"
#include "workflow/format/spec_words.h"

namespace teamster::engine {
namespace {

using workflow::Phase;
using workflow::RunState;
namespace status = workflow::status;

bool has_artifact(const Phase& phase) { return phase.kind == Phase::Kind::agent || phase.kind == Phase::Kind::fanout; }

SourceLookup sources_in(const RunState& state) {
  Given given{state.entry, state.args.get<Arguments>()};
  if (state.flags.is_object()) given.flags = state.flags.get<std::map<std::string, Json>>();
  return sources_of(std::move(given), state.values.get<Values>());
}

const Phase* phase_named(const workflow::Workflow& workflow, const std::string& id) {
  const auto found =
      std::find_if(workflow.phases.begin(), workflow.phases.end(), [&](const Phase& phase) { return phase.id == id; });
  return found == workflow.phases.end() ? nullptr : &*found;
}

std::int64_t last_number(const workflow::Workflow& workflow, const std::string& entry) {
  return workflow.phases[workflow::extent_of(workflow, entry).last].number;
}

// A last phase that commits the ledger commits it as done: nothing comes after that it could tell.
LedgerStatus status_of(const workflow::Workflow& workflow, const RunState& state) {
  const std::string& end = state.ending.empty() ? state.status : state.ending;
  if (end == status::kBlocked || end == status::kFailed) return LedgerStatus::blocked;
  if (end == status::kDone) return LedgerStatus::done;
  const Phase* current = phase_named(workflow, state.phase);
  const bool is_last = current != nullptr && current->kind == Phase::Kind::commit &&
                       current->number == last_number(workflow, state.entry);
  return is_last ? LedgerStatus::done : LedgerStatus::in_progress;
}

LedgerPhaseStatus phase_status(const Phase& phase, const RunState& state) {
  if (state.phase == phase.id && state.ending.empty()) return LedgerPhaseStatus::in_progress;
  return state.answers.count(phase.id) != 0 ? LedgerPhaseStatus::done : LedgerPhaseStatus::pending;
}

// `validate` has seen to it that each phase has one.
std::int64_t number_of(const Phase& phase) { return workflow::stage_number(phase).value_or(phase.number); }

// The phase with this number, else the next; behind all, the last.
const Phase& phase_at(const workflow::Workflow& workflow, std::int64_t number) {
  const Phase* found = nullptr;
  for (const auto& phase : workflow.phases)
    if (number_of(phase) >= number && (found == nullptr || number_of(phase) < number_of(*found))) found = &phase;
  return found == nullptr ? workflow.phases.back() : *found;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<void> follow_with_ledger(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                                const RunState& state) {
  const workflow::Workflow& workflow = pinned.workflow;
  if (!workflow.ledger || state.phase.empty()) return {};
  const SourceLookup sources = sources_in(state);
  const LedgerPlace place = TRY(ledger_place(*workflow.ledger, project, sources));
  LedgerState ledger;
  ledger.fields = TRY(ledger_fields(*workflow.ledger, sources));
  ledger.status = status_of(workflow, state);
  ledger.current_phase = number_of(*phase_named(workflow, state.phase));
  ledger.next_sequence = state.next_sequence;
  for (const auto& [name, loop] : workflow.loops) {
    const auto count = state.loops.find(name);
    ledger.iterations[name] = count == state.loops.end() ? 0 : count->second;
  }
  for (const auto& phase : workflow.phases) {
    if (!has_artifact(phase)) continue;
    LedgerPhase entry{phase_key(number_of(phase), phase.id), phase_status(phase, state), std::nullopt};
    const auto answer = state.answers.find(phase.id);
    if (answer != state.answers.end() && answer->second.sequence != 0) {
      const Artifact artifact{answer->second.sequence, number_of(phase), phase.id, answer->second.value};
      entry.latest = TRY(write_artifact(files, place, workflow.ledger->artifact, artifact));
    }
    ledger.phases.push_back(std::move(entry));
  }
  return save_ledger(files, place, ledger);
}

Result<void> clean_ledger(env::Files& files, const workflow::Pinned& pinned, const std::string& project,
                          const RunState& state) {
  if (!pinned.workflow.ledger) return {};
  return remove_torn_writes(files, TRY(ledger_place(*pinned.workflow.ledger, project, sources_in(state))));
}

Result<std::optional<LedgerFound>> find_ledger(env::Files& files, const workflow::Pinned& pinned,
                                               const std::string& project, const RunState& state) {
  const workflow::Workflow& workflow = pinned.workflow;
  if (!workflow.ledger) return std::optional<LedgerFound>();
  const LedgerPlace place = TRY(ledger_place(*workflow.ledger, project, sources_in(state)));
  const auto ledger = TRY(load_ledger(files, place));
  if (!ledger) return std::optional<LedgerFound>();
  LedgerFound found{ledger->status, place.index_path()};
  found.resume.phase = phase_at(workflow, ledger->current_phase).id;
  found.resume.loops = ledger->iterations;
  found.resume.next_sequence = ledger->next_sequence;
  for (const auto& phase : workflow.phases) {
    const std::string key = phase_key(number_of(phase), phase.id);
    const auto entry = std::find_if(ledger->phases.begin(), ledger->phases.end(),
                                    [&](const LedgerPhase& each) { return each.key == key; });
    if (entry == ledger->phases.end() || !entry->latest) continue;
    const std::string file = name_of(*entry->latest);
    std::int64_t sequence = 0;
    for (const char digit : file) {
      if (digit < '0' || digit > '9') break;
      sequence = sequence * 10 + (digit - '0');
    }
    Json value = TRY(read_artifact(files, place, file));
    found.resume.answers[phase.id] = {std::move(value), sequence};
  }
  return std::optional(std::move(found));
}

}  // namespace teamster::engine
