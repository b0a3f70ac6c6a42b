// Runs and questions as text for people: what `status`, `inbox` and `replay` print. Pure; safe to print
// whatever agents and people wrote.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "cli/framework/context.h"
#include "engine/run_questions.h"
#include "engine/run_view.h"

namespace teamster::cli {

// A table, then what waits for somebody.
std::string runs_text(const Context& context, const std::vector<engine::RunView>& views);
// Everything about one.
std::string run_text(const Context& context, const engine::RunView& view);
// With how it is answered.
std::string question_text(const Context& context, const engine::RunQuestion& question, const std::string& id);
// The last words of a run. Where a template had nothing to say there are no gaps.
std::string report_text(const std::string& report);
// "12 turns, 34,000 tokens, 1.23 USD"
std::string run_usage_text(const workflow::RunUsage& usage);

}  // namespace teamster::cli
