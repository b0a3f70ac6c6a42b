#include "simulation/played_effects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/ledger_following.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/random.h"

namespace teamster::simulation {
namespace {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

constexpr std::size_t kRecordMaxBytes = 1 << 20;
constexpr std::uint64_t kLongestUs = 30'000;
constexpr std::uint64_t kLateUs = 300'000;

Json table() {
  return Json::parse(R"({
    "implement": {"files_created": ["src/shout.sh"], "files_modified": [], "decisions": [], "blocked_by": []},
    "verify": {"acceptance_criteria": [], "missing_files": [], "issues": [], "verification_passed": true},
    "unit-tests": {"test_files_created": ["tests/unit/shout_test.sh"], "test_count": 4, "coverage_areas": []},
    "e2e-tests": {"e2e_files_created": [], "screenshots_will_capture": [], "flows_tested": []},
    "run-tests": {"typecheck": {"passed": true, "errors": []},
                  "unit_tests": {"passed": true, "total": 6, "failed": 0, "errors": []},
                  "e2e_tests": {"passed": true, "total": 7, "failed": 0, "errors": []}, "all_passed": true},
    "fix": {"fixes_applied": [], "root_causes": ["an unquoted word"]},
    "screenshots": {"screenshots_reviewed": 0, "visual_issues": [], "js_errors": [], "all_clear": true},
    "code-review": {"code_quality": "PASS", "issues": []},
    "commit": {"commit_hash": "abc123", "files_committed": 3, "tag_created": false}
  })");
}

Json answer_to(const std::string& step, const workflow::RunState& state) {
  Json answer = table().at(step);
  const auto fixes = state.loops.find("test_fix");
  if (step == "run-tests" && (fixes == state.loops.end() || fixes->second == 0)) {
    answer["all_passed"] = false;
    answer["unit_tests"]["passed"] = false;
    answer["unit_tests"]["errors"].push_back("blanks are lost");
  }
  answer["status"] = "SUCCESS";
  answer["summary"] = "summary of " + step;
  return answer;
}

// What the file of an effect that was performed says of it.
RunEvent recorded_outcome(const RunCommand& command, const std::string& text) {
  const Json record = Json::parse(text);
  return event_about(command, workflow::read_event_body(record.at("kind").get<std::string>(), record.at("body")));
}

}  // namespace

RunEvent played_start() {
  event::Started started;
  started.args = {{"spec", "01"}};
  started.values = Json::parse(R"({"preamble": "How to build and test here.", "spec_path": "specs/01-shout.md",
      "spec_name": "shout", "page_url": "", "cached_docs": [], "test": "sh test.sh"})");
  started.skills.emplace();
  return workflow::event_of(std::move(started));
}

PlayedEffects::PlayedEffects(const env::World& world, PlayedEffectsOptions options, Deeds& deeds)
    : world_(world), options_(std::move(options)), deeds_(deeds) {}

bool PlayedEffects::chance(double probability) {
  constexpr std::uint64_t kParts = 1'000'000;
  return world_.random.next() % kParts < static_cast<std::uint64_t>(probability * kParts);
}

Duration PlayedEffects::a_while() { return std::chrono::microseconds(world_.random.next() % kLongestUs); }

std::string PlayedEffects::record_of(const std::string& id) const {
  std::string name = id;
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format("{}/.played/{}.json", options_.project, name);
}

void PlayedEffects::begin(const engine::Effect& effect, const workflow::RunState& state, Settle settle) {
  const std::string id = effect.command.id();
  if (effect.again) {
    if (const auto text = world_.files.read(record_of(id), kRecordMaxBytes)) {
      ++deeds_.found;
      return tell(id, recorded_outcome(effect.command, *text), settle);
    }
  }
  Duration takes = a_while();
  if (const auto* wait = effect.command.as<command::Wait>()) {
    const auto passed = world_.clock.wall_now().unix_ms - effect.since.unix_ms;
    takes = std::chrono::milliseconds(std::max<std::int64_t>(wait->ms - passed, 0));
  }
  timers_[id] = world_.loop.after(takes, [this, command = effect.command, outcome = outcome_of(effect, state), settle] {
    perform(command, outcome, settle);
  });
}

RunEvent PlayedEffects::outcome_of(const engine::Effect& effect, const workflow::RunState& state) {
  const RunCommand& command = effect.command;
  const auto about = [&](workflow::EventBody body) { return event_about(command, std::move(body)); };
  if (const auto* made = command.as<command::MakeTeam>()) return about(event::TeamReady{made->team});
  if (const auto* ended = command.as<command::EndTeam>()) return about(event::TeamGone{ended->team});
  if (const auto* wait = command.as<command::Wait>()) return about(event::Due{wait->what});
  if (command.is<command::Check>())
    return about(event::Done{.answer = {{"passed", true}, {"exit", 0}, {"output", ""}}});
  if (command.is<command::Commit>()) return about(event::Done{.answer = {{"commit", "def456"}, {"tag", "done"}}});
  if (command.attempt == 1 && chance(options_.chances.trouble)) {
    constexpr std::array kFaults = {"crashed", "silent", "provider", "unusable", "overloaded", "lost"};
    const std::string fault = kFaults[world_.random.next() % kFaults.size()];
    ++deeds_.troubles;
    if (fault == "lost") return about(event::MemberLost{command.get<command::Turn>().member, "as the seed wants it"});
    return about(event::Failed{fault, "as the seed wants it"});
  }
  return about(event::Done{.answer = answer_to(command.step, state),
                           .usage = event::TurnUsage{.input_tokens = 100, .output_tokens = 10, .cost_usd = 0.25},
                           .member = command.get<command::Turn>().member});
}

// Done and recorded at once: whoever comes second finds that it is done.
void PlayedEffects::perform(const RunCommand& command, const RunEvent& outcome, const Settle& settle) {
  const std::string id = command.id();
  RunEvent told = outcome;
  const Json record = {{"kind", outcome.kind()}, {"body", workflow::fields_of(outcome.body)}};
  if (!world_.files.make_private_directory(options_.project + "/.played")) return;
  const auto created = world_.files.create_exclusively(record_of(id), dump_json(record), 0600);
  if (!created) return;
  if (*created) {
    ++deeds_.performed[id];
  } else if (const auto text = world_.files.read(record_of(id), kRecordMaxBytes)) {
    ++deeds_.found;
    told = recorded_outcome(command, *text);
  }
  tell(id, told, settle);
}

void PlayedEffects::tell(const std::string& id, const RunEvent& outcome, const Settle& settle) {
  timers_[id] = world_.loop.after(a_while(), [settle, outcome] { settle(outcome); });
  if (!chance(options_.chances.repeat)) return;
  ++deeds_.repeated_events;
  late_.push_back(world_.loop.after(std::chrono::microseconds(world_.random.next() % kLateUs),
                                    [settle, outcome] { settle(outcome); }));
}

void PlayedEffects::drop(const std::string& id) { timers_.erase(id); }

Result<void> PlayedEffects::follow(const workflow::RunState& state) {
  return engine::follow_with_ledger(world_.files, options_.pinned, options_.project, state);
}

}  // namespace teamster::simulation
