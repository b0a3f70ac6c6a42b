#include "engine/replay.h"

#include <nlohmann/json.hpp>

#include "workflow/core/next.h"

namespace teamster::engine {
namespace {

std::vector<std::string> fields_that_differ(const Json& one, const Json& other) {
  std::vector<std::string> names;
  for (const auto& [name, value] : one.items())
    if (!other.contains(name) || other[name] != value) names.push_back(name);
  return names;
}

}  // namespace

Replay::Replay(std::optional<workflow::Pinned> pinned, std::optional<Snapshot> snapshot)
    : pinned_(std::move(pinned)), snapshot_(std::move(snapshot)) {
  reading_.on_record = [this](const workflow::RunState& before, const Recorded& recorded) {
    look_at(before, recorded);
  };
}

void Replay::look_at(const workflow::RunState& before, const Recorded& recorded) {
  // The snapshot is of everything up to its record, whoever wrote that.
  if (snapshot_ && !snapshot_differences_ && recorded.n > snapshot_->n) compare_snapshot(before);
  if (!pinned_) return;
  ++decided_;
  const workflow::RunEvent& event = recorded.record.event;
  std::vector<workflow::RunCommand> today = workflow::next(*pinned_, before, event);
  if (workflow::then_of(recorded.record.commands) == workflow::then_of(today)) return;
  differences_.push_back({recorded.n, std::string(event.kind()), recorded.record.commands, std::move(today)});
}

void Replay::compare_snapshot(const workflow::RunState& state) {
  snapshot_differences_ = fields_that_differ(workflow::to_json(state), workflow::to_json(snapshot_->state));
}

std::optional<std::vector<std::string>> Replay::snapshot_differences() const {
  if (!snapshot_ || snapshot_differences_) return snapshot_differences_;
  return fields_that_differ(workflow::to_json(reading_.state()), workflow::to_json(snapshot_->state));
}

}  // namespace teamster::engine
