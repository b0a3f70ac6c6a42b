#include "engine/replay.h"

#include <nlohmann/json.hpp>

#include "workflow/core/next.h"

namespace teamster::engine {
namespace {

Json then_of(const workflow::RunRecord& record) {
  const Json body = workflow::body_of(record);
  const auto then = body.find("then");
  return then == body.end() ? Json::array() : *then;
}

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
  const Json was = then_of(recorded.record);
  const Json today = then_of({recorded.record.event, workflow::next(*pinned_, before, recorded.record.event)});
  if (was != today) differences_.push_back({recorded.n, recorded.record.event.kind, was, today});
}

void Replay::compare_snapshot(const workflow::RunState& state) {
  snapshot_differences_ = fields_that_differ(workflow::to_json(state), workflow::to_json(snapshot_->state));
}

std::optional<std::vector<std::string>> Replay::snapshot_differences() const {
  if (!snapshot_ || snapshot_differences_) return snapshot_differences_;
  return fields_that_differ(workflow::to_json(reading_.state()), workflow::to_json(snapshot_->state));
}

}  // namespace teamster::engine
