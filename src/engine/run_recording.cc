#include "engine/run_recording.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace teamster::engine {

RunRecording::RunRecording(const LiveRunParts& parts, RunToStart run, Done done)
    : parts_(parts), to_start_(std::move(run)), done_(std::move(done)) {}

void RunRecording::start() {
  const std::string name = to_start_.pinned.run;
  if (auto saved = save_bundle(parts_.world.files, parts_.home, name, to_start_.pinned.bundle); !saved)
    return finish(fail(saved.error()));
  RunHandlers handlers;
  handlers.on_record = [this](const Recorded&) { run_->let_go(); };
  handlers.on_over = [this, name](const Result<void>& outcome) {
    if (!outcome) return finish(fail(outcome.error()));
    finish(name);
  };
  SnapshotFile snapshots(parts_.world.files, parts_.home, name, to_start_.setup.digest);
  run_ = std::make_unique<Run>(parts_.world, parts_.hub, to_start_.pinned, *this, std::move(handlers),
                               RunSnapshots{std::move(snapshots)});
  run_->start(to_start_.key, workflow::event_of(std::move(to_start_.started)), to_start_.setup.json());
}

void RunRecording::finish(Result<std::string> outcome) {
  if (const Done done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

}  // namespace teamster::engine
