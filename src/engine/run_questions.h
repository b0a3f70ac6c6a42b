// The questions and gates of all live runs, and which of them a person means: RUN/STEP.ATTEMPT, the name of its step or
// of its run, or any part of it that fits one alone. Values.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/run_view.h"

namespace teamster::engine {

struct RunQuestions {
  std::vector<RunQuestion> open;  // oldest run first
  std::vector<RunView> views;     // of the runs they are from
};

// The shortest of STEP.ATTEMPT, HEX/STEP.ATTEMPT (the last digits of the run's name) and the whole that
// fits no other.
std::string short_id(const RunQuestions& questions, const RunQuestion& question);

// Code::not_found, Code::refused for one that was answered, Code::invalid when several fit.
Result<RunQuestion> find_question(const RunQuestions& questions, const std::string& typed);

}  // namespace teamster::engine
