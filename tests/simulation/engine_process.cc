#include "simulation/engine_process.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::simulation {

EngineProcess::EngineProcess(env::sim::World& world, Options options, Deeds& deeds, EngineWitness& witness)
    : world_(world),
      options_(std::move(options)),
      deeds_(deeds),
      witness_(witness),
      number_(witness.new_process()),
      host_(world.start(fmt::format("engine{}", number_))),
      client_(host_.view(), options_.home, hub::Access::operator_of_home()) {
  resume();
}

void EngineProcess::kill() {
  if (is_alive()) world_.kill(host_);
}

void EngineProcess::make_run() {
  run_.reset();
  effects_ = std::make_unique<PlayedEffects>(
      host_.view(), PlayedEffectsOptions{options_.pinned, options_.project, options_.chances}, deeds_);
  engine::RunHandlers handlers;
  handlers.on_point = [this](const engine::Point& point) {
    if (is_alive()) options_.on_point(*this, point);
  };
  handlers.on_record = [this](const engine::Recorded& recorded) { witness_.acknowledged(number_, recorded); };
  handlers.on_over = [this](const Result<void>& outcome) { over_(outcome); };
  // So often that every seed and every point of a kill meets one.
  constexpr std::int64_t kSnapshotEvery = 3;
  engine::SnapshotFile snapshots(host_.view().files, options_.home, options_.pinned.run,
                                 workflow::digest(options_.pinned.bundle));
  run_ = std::make_unique<engine::Run>(host_.view(), client_, options_.pinned, *effects_, std::move(handlers),
                                       engine::RunSnapshots{std::move(snapshots), kSnapshotEvery});
}

void EngineProcess::resume() {
  make_run();
  over_ = [this](const Result<void>& outcome) { resumed(outcome); };
  run_->resume();
}

void EngineProcess::resumed(const Result<void>& outcome) {
  if (outcome || outcome.error().code != Code::not_found) {
    outcome_ = outcome;
    return;
  }
  // From the loop: the run that is replaced is the one that calls.
  host_.view().loop.post([this] { start(); });
}

void EngineProcess::start() {
  make_run();
  over_ = [this](const Result<void>& outcome) { outcome_ = outcome; };
  run_->start("01", played_start(),
              {{"project", options_.project}, {"digest", workflow::digest(options_.pinned.bundle)}});
}

}  // namespace teamster::simulation
