// The questions and gates of all live runs, and which of them a person means: RUN/STEP.ATTEMPT,
// or any shorter form of it that fits one alone. Shared by inbox, answer, approve and reject.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/context.h"
#include "cli/commands/run/run_view.h"

namespace teamster::cli {

struct Questions {
  std::vector<RunQuestion> open;  // oldest run first
  std::vector<RunView> views;     // of the runs they are from
};

Result<Questions> read_questions(const Context& context);

// The shortest of STEP.ATTEMPT, HEX/STEP.ATTEMPT (the last digits of the run's name) and the whole that
// fits no other.
std::string short_id(const Questions& questions, const RunQuestion& question);

// Code::not_found, Code::refused for one that was answered, Code::invalid when several fit.
Result<RunQuestion> find_question(const Questions& questions, const std::string& typed);

}  // namespace teamster::cli
