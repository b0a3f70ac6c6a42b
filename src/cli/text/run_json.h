// Runs and questions as JSON, for --json: what `status`, `inbox` and their like print. Keys are stable: scripts rely on
// them. Pure.
#pragma once

#include "base/json.h"
#include "engine/run_view.h"

namespace teamster::cli {

Json view_json(const engine::RunView& view);
Json view_json_in_full(const engine::RunView& view);
Json question_json(const engine::RunQuestion& question);

}  // namespace teamster::cli
