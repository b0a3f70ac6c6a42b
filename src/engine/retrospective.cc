#include "engine/retrospective.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"
#include "workflow/core/run_facts.h"

namespace teamster::engine {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::Finding;
using workflow::Severity;

constexpr std::size_t kErrorShownBytes = 200;
constexpr std::int64_t kLongWaitMs = 60 * 60 * 1000;

std::vector<const StepAttempt*> in_order(const RunReading& reading) {
  std::vector<const StepAttempt*> attempts;
  for (const auto& [id, attempt] : reading.attempts()) attempts.push_back(&attempt);
  std::stable_sort(attempts.begin(), attempts.end(), [](const auto* a, const auto* b) { return a->n < b->n; });
  return attempts;
}

// The answer was there and was no good.
bool is_refused(const std::string& fault) {
  static const std::set<std::string> kFaults = {"protocol", "unusable", "incomplete", "check", "writes"};
  return kFaults.contains(fault);
}

void add_usage(workflow::RunUsage& sum, const event::TurnUsage& usage) {
  sum.tokens += usage.input_tokens + usage.output_tokens;
  sum.usd += usage.cost_usd.value_or(0);
}

struct Looking {
  const workflow::Pinned& pinned;
  const RunReading& reading;
  Retrospective& found;
  std::map<std::string, MemberCost> members = {};
  std::map<std::string, WallTime> last_end = {};
  std::map<std::string, std::pair<std::int64_t, std::string>> refusals = {};  // by step: how often, and the last why

  void look() {
    for (const auto* attempt : in_order(reading)) {
      if (const auto* turn = attempt->command.as<command::Turn>()) look_at(*attempt, *turn);
      if (const auto* ask = attempt->command.as<command::Ask>()) look_at(*attempt, *ask);
    }
    for (auto& [name, cost] : members) found.members.push_back(std::move(cost));
  }

  void look_at(const StepAttempt& attempt, const command::Turn& turn) {
    MemberCost& cost = members[turn.member];
    cost.member = turn.member;
    cost.role = turn.role;
    ++cost.usage.turns;
    ++found.turns;
    if (turn.rung == workflow::rung::kRetry || turn.rung == workflow::rung::kMend ||
        turn.rung == workflow::rung::kFresh)
      ++cost.tries_again;
    look_at_prompt(cost, turn);
    if (const auto before = last_end.find(turn.member); before != last_end.end())
      cost.idle_ms += std::max<std::int64_t>(attempt.since.unix_ms - before->second.unix_ms, 0);
    if (attempt.until) last_end[turn.member] = *attempt.until;
    if (const auto usage = workflow::usage_of(attempt.ending.body)) add_usage(cost.usage, *usage);
    if (const auto* failed = attempt.ending.as<event::Failed>(); failed != nullptr && is_refused(failed->fault)) {
      ++cost.refused;
      auto& [count, why] = refusals[attempt.command.step];
      ++count;
      why = failed->error;
    }
  }

  void look_at_prompt(MemberCost& cost, const command::Turn& turn) const {
    const auto length = static_cast<std::int64_t>(count_characters(turn.prompt));
    cost.longest_prompt = std::max(cost.longest_prompt, length);
    const auto role = pinned.workflow.roles.find(turn.role);
    if (role != pinned.workflow.roles.end() && role->second.window > 0)
      cost.window_percent =
          std::max(cost.window_percent, (length * 100 + role->second.window - 1) / role->second.window);
  }

  void look_at(const StepAttempt& attempt, const command::Ask& ask) {
    if (!attempt.until) return;
    const std::int64_t waited = attempt.until->unix_ms - attempt.since.unix_ms;
    found.waited_for_people_ms += waited;
    if (waited < kLongWaitMs) return;
    found.findings.push_back(
        {Severity::medium, "waiting", workflow::known_name(pinned, reading.state(), attempt.command.step),
         fmt::format("{} waited {} for {}", attempt.command.step, describe_duration(std::chrono::milliseconds(waited)),
                     ask.to.empty() ? "the owner" : ask.to)});
  }

  void add_refusals() const {
    for (const auto& [step, refusal] : refusals)
      found.findings.push_back({refusal.first > 1 ? Severity::high : Severity::medium, "rejected",
                                workflow::known_name(pinned, reading.state(), step),
                                fmt::format("what {} handed in could not be used, {}×: {}", step, refusal.first,
                                            beginning_of(refusal.second, kErrorShownBytes))});
  }
};

}  // namespace

Retrospective retrospective_of(const workflow::Pinned& pinned, const RunReading& reading) {
  Retrospective found;
  found.findings = workflow::findings_of(pinned, reading.state());
  Looking looking{pinned, reading, found};
  looking.look();
  looking.add_refusals();
  workflow::sort_by_severity(found.findings);
  const auto& state = reading.state();
  for (const auto& phase : pinned.workflow.phases) {
    const auto entered = reading.entered().find(phase.id);
    if (entered == reading.entered().end()) continue;
    PhaseCost cost{.phase = phase.id, .entered = entered->second, .usage = {}};
    if (const auto used = state.usage.find("phase/" + phase.id); used != state.usage.end()) cost.usage = used->second;
    if (const auto worked = state.worked_ms.find("phase/" + phase.id); worked != state.worked_ms.end())
      cost.worked_ms = worked->second;
    found.phases.push_back(std::move(cost));
  }
  return found;
}

}  // namespace teamster::engine
