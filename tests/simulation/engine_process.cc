#include "simulation/engine_process.h"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "project/workflow_place.h"
#include "protocol/client/call.h"
#include "simulation/rehearsed_project.h"

namespace teamster::simulation {
namespace {

std::optional<std::string> no_variable(const char*) { return std::nullopt; }

// As of `teamster run WORKFLOW WORDS --driver script --scripts …`.
engine::RunRequest request_for(env::Files& files, const EngineProcess::Options& options) {
  engine::RunRequest request{.found = *cli::WorkflowPlaces(files, no_variable, kProject).find(options.workflow)};
  request.words = options.words;
  request.setup.project = kProject;
  request.setup.driver = "script";
  request.setup.scripts = kScripts;
  request.run = options.run;
  return request;
}

}  // namespace

EngineProcess::EngineProcess(env::sim::World& world, Options options, SimulatedGits& gits, EngineWitness& witness)
    : world_(world),
      options_(std::move(options)),
      witness_(witness),
      number_(witness.new_process()),
      host_(world.start(fmt::format("engine{}", number_))),
      client_(host_.view(), options_.home, hub::Access::operator_of_home()),
      parts_(make_parts(gits)) {
  look();
}

// A process that has nothing more to do exits.
EngineProcess::~EngineProcess() { kill(); }

void EngineProcess::kill() {
  if (is_alive()) world_.kill(host_);
}

engine::LiveRunParts EngineProcess::make_parts(SimulatedGits& gits) {
  engine::LiveRunParts parts{
      .world = host_.view(), .stage = host_.view(), .hub = client_, .home = options_.home, .variable = no_variable};
  parts.open_git = [&gits](const env::World& world, const std::string& project) { return gits.open(world, project); };
  parts.git_is_at_work = [&gits](const std::string&) { return gits.is_at_work(); };
  parts.observer.on_point = [this](const engine::Point& point) {
    if (is_alive()) options_.on_point(*this, point);
  };
  parts.observer.on_record = [this](const std::string&, const engine::Recorded& recorded) {
    witness_.acknowledged(number_, recorded);
    const workflow::RunEvent& event = recorded.record.event;
    tell(fmt::format("record {}: {} {}.{} {}", recorded.n, event.kind(), event.step, event.attempt,
                     dump_json(workflow::fields_of(event.body)).substr(0, 300)));
  };
  parts.observer.on_question = [this](const std::string&, const workflow::RunCommand& question, bool again) {
    if (is_alive()) options_.on_question(question, again);
  };
  parts.observer.on_note = [this](const std::string& line) { tell(line); };
  parts.observer.on_turn = [this](const std::string&, const std::string& step, std::int64_t) {
    witness_.asked(number_, step);
  };
  // So often that every seed and every point of a kill meets one.
  parts.snapshot_every = 3;
  return parts;
}

void EngineProcess::tell(const std::string& what) const {
  static const bool kIsWanted = std::getenv("TEAMSTER_STORY") != nullptr;
  if (kIsWanted) fmt::print("{} engine {}: {}\n", to_iso8601(world_.clock().wall_now()), number_, what);
}

void EngineProcess::look() {
  hub::ask(client_, hub::GetRun{options_.run}, [this](const Result<hub::GetRun::Answer>& found) {
    if (found) return take_up(*found);
    if (found.error().code == Code::not_found) return prepare();
    outcome_ = fail(found.error());
  });
}

void EngineProcess::prepare() {
  preparation_ = std::make_unique<engine::RunPreparation>(host_.view(), client_, parts_.variable, parts_.open_git);
  preparation_->prepare(request_for(host_.view().files, options_),
                        [this](Result<engine::PreparedRun> outcome) { prepared(std::move(outcome)); });
}

void EngineProcess::prepared(Result<engine::PreparedRun> outcome) {
  if (!outcome) {
    outcome_ = fail(outcome.error());
    return;
  }
  // Another process may have begun it meanwhile.
  auto* fresh = std::get_if<engine::RunToStart>(&*outcome);
  if (fresh == nullptr) return look();
  live_ = std::make_unique<engine::LiveRun>(parts_, std::move(fresh->pinned), std::move(fresh->setup), on_over());
  if (auto started = live_->start(fresh->key, std::move(fresh->started)); !started) outcome_ = started;
}

void EngineProcess::take_up(const hub::GetRun::Answer& found) {
  if (found.run.has_ended()) {
    outcome_ = fail(Code::refused, "the run has ended");
    return;
  }
  auto read = engine::read_pinned_run(host_.view().files, options_.home, found);
  if (!read) {
    outcome_ = fail(read.error());
    return;
  }
  live_ = std::make_unique<engine::LiveRun>(parts_, std::move(read->pinned), std::move(read->setup), on_over());
  live_->take_up();
}

}  // namespace teamster::simulation
