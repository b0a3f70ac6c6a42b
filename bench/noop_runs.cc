#include "bench/noop_runs.h"

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "env/loop.h"
#include "workflow/format/load.h"

namespace teamster::bench {
namespace {

using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

constexpr const char* kName = "noop";
constexpr std::int64_t kEndless = 1'000'000'000;

workflow::Pinned pinned(const std::string& run, const std::string& text) {
  workflow::Bundle bundle = {{workflow::kWorkflowFile, text}};
  auto loaded = workflow::load_workflow(bundle);
  CHECK(loaded.workflow);
  return {run, *std::move(loaded.workflow), std::move(bundle)};
}

std::string head() { return fmt::format("name: {}\nabout: Steps that cost nothing.\n", kName); }

}  // namespace

workflow::Pinned ten_checks(const std::string& run) {
  std::string text = head() + "phases:\n";
  for (int i = 1; i <= kStepsPerRun; ++i)
    text += fmt::format(
        "  - {{ id: step-{}, kind: check, command: 'true', on: [ {{ when: {{ passed: false }}, fail: it }} ] }}\n", i);
  return pinned(run, text);
}

workflow::Pinned endless_checks(const std::string& run) {
  auto endless = pinned(run, head() + R"(loops: { again: { max: 2, then: fail } }
phases:
  - { id: first, kind: check, command: 'true', on: [ { when: { passed: false }, fail: it } ] }
  - id: second
    kind: check
    command: 'true'
    on: [ { when: { passed: true }, goto: first, loop: again }, { fail: it } ]
)");
  endless.workflow.loops.at("again").max = kEndless;
  return endless;
}

std::string new_run_name() {
  static int number = 0;
  // The pid tells processes apart, the number what one of them does.
  const auto unique = static_cast<unsigned>(::getpid()) * 100'000U + static_cast<unsigned>(++number);
  return fmt::format("{}-{:08}-{:04x}", kName, 10'000'000 + unique / 65'536 % 89'000'000, unique % 65'536);
}

RunEvent NoopEffects::outcome_of(const workflow::RunCommand& command) {
  if (const auto* made = command.as<command::MakeTeam>()) return event_about(command, event::TeamReady{made->team});
  if (const auto* ended = command.as<command::EndTeam>()) return event_about(command, event::TeamGone{ended->team});
  return event_about(command, event::Done{.answer = {{"passed", true}, {"exit", 0}, {"output", ""}}});
}

void NoopEffects::begin(const engine::Effect& effect, const workflow::RunState&, Settle settle) {
  const bool is_check = effect.command.is<command::Check>();
  if (is_check) ++checks_;
  if (is_check && !settles_checks_) return;
  loop_.post([settle = std::move(settle), outcome = outcome_of(effect.command)] { settle(outcome); });
}

Result<void> NoopRuns::start() {
  run_.reset();
  over_.reset();
  pinned_.run = new_run_name();
  engine::RunHandlers handlers;
  handlers.on_record = [this](const engine::Recorded& recorded) {
    if (recorded.record.event.is<event::Done>()) ++steps_;
  };
  handlers.on_over = [this](const Result<void>& outcome) { over_ = outcome; };
  engine::SnapshotFile snapshots(hub_.world().files, home_, pinned_.run, workflow::digest(pinned_.bundle));
  effects_ = std::make_unique<NoopEffects>(hub_.loop(), true);
  run_ = std::make_unique<engine::Run>(hub_.world(), hub_.client(), pinned_, *effects_, std::move(handlers),
                                       engine::RunSnapshots{std::move(snapshots)});
  run_->start("", workflow::event_of(event::Started{}), Json::object());
  return {};
}

Result<void> NoopRuns::one_step() {
  const std::int64_t before = steps_;
  while (steps_ == before) {
    if (over_ && !*over_) return fail(over_->error());
    if (!run_ || over_) TRY_VOID(start());
    hub_.loop().run_until([&] { return steps_ != before || over_; });
  }
  return {};
}

}  // namespace teamster::bench
