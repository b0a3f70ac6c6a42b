#include "workflow/core/retrospect.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/core/run_answers.h"
#include "workflow/core/run_facts.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kLessonsMax = 10;
constexpr std::size_t kLessonBytes = 300;
constexpr std::size_t kObjectionBytes = 200;

Severity severity_of_level(const std::string& how) {
  if (how.starts_with("L0")) return Severity::low;
  return how.starts_with("L1") ? Severity::medium : Severity::high;
}

void add_escalations(const Pinned& pinned, const RunState& state, std::vector<Finding>& findings) {
  for (const auto& [step, how] : state.escalated) {
    const std::size_t bar = std::min(how.find('|'), how.size());
    const std::string why = how.substr(std::min(bar + 1, how.size()));
    findings.push_back({severity_of_level(how), "escalation", known_name(pinned, state, step),
                        fmt::format("{} went up to {}{}{}", step, how.substr(0, bar), why.empty() ? "" : ": ", why)});
  }
}

// The step from which a loop leads back.
std::string who_takes(const Pinned& pinned, const RunState& state, const std::string& loop) {
  for (const auto& phase : pinned.workflow.phases)
    for (const auto& way : phase.on)
      if (way.loop == loop) return known_name(pinned, state, phase.id);
  return loop;
}

void add_loops(const Pinned& pinned, const RunState& state, std::vector<Finding>& findings) {
  for (const auto& [name, loop] : pinned.workflow.loops) {
    const auto counted = state.loops.find(name);
    const std::int64_t count = counted == state.loops.end() ? 0 : counted->second;
    // A loop that counts a phase has been taken once less than the phase was done.
    const std::int64_t rounds = loop.counts.empty() ? count : count - 1;
    if (rounds < 1) continue;
    findings.push_back({count >= loop.max ? Severity::high : Severity::medium, "loop", who_takes(pinned, state, name),
                        fmt::format("the loop {} was taken {} of at most {} times", name, rounds,
                                    loop.counts.empty() ? loop.max : loop.max - 1)});
  }
}

}  // namespace

std::string_view to_string(Severity severity) {
  return severity == Severity::high ? "high" : severity == Severity::medium ? "medium" : "low";
}

void sort_by_severity(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity < b.severity : a.about < b.about;
  });
}

std::vector<Finding> findings_of(const Pinned& pinned, const RunState& state) {
  std::vector<Finding> findings;
  add_escalations(pinned, state, findings);
  add_loops(pinned, state, findings);
  for (const auto& [claim, step] : unchecked_claims(pinned, state))
    findings.push_back({Severity::high, "unverified", known_name(pinned, state, step),
                        fmt::format("the claim {} about the runtime has no recorded check", claim)});
  for (const auto& note : state.notes)
    findings.push_back({Severity::high, "accepted", known_name(pinned, state, note.phase),
                        fmt::format("{} went on although it objects: {}", note.phase,
                                    beginning_of(dump_json(note.answer), kObjectionBytes))});
  for (const auto& warning : state.warnings)
    findings.push_back({warning.text.find("may not write") == std::string::npos ? Severity::low : Severity::high,
                        "warning", known_name(pinned, state, warning.about), warning.text});
  sort_by_severity(findings);
  return findings;
}

Json lessons_of(const Pinned& pinned, const RunState& state) {
  Json lessons = Json::array();
  for (const auto& finding : findings_of(pinned, state))
    if (finding.severity == Severity::high && lessons.size() < kLessonsMax)
      lessons.push_back(beginning_of(fmt::format("{}: {}", finding.about, finding.text), kLessonBytes));
  return lessons.empty() ? Json() : lessons;
}

}  // namespace teamster::workflow
