// Fault: what a rehearsal does to one of its processes, and where: `crash builder@fix.1`, `mute tester@run-tests`,
// `slow …`, `garbage …` at a turn, `kill engine@step.done:verify.1:after` (or hub, keeper, a member) at a point of the
// journal. A value; whether the workflow has such a place is looked up before anything starts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

struct StagedFault {
  enum class What { crash, mute, slow, garbage, kill };
  What what = What::crash;
  std::string whom;   // a member; of kill also engine, hub, keeper
  std::string where;  // of kill "step.done:verify.1:after", otherwise "fix" or "fix.1"

  // "crash builder@fix.1"
  static Result<StagedFault> parse(const std::string& text);
  // As it is parsed.
  std::string text() const;
};

// Code::invalid when none of the workflows has such a member, such a step, or such a step for that member; or the
// journal has no such kind of event. Which attempt it will come to nobody knows before.
Result<void> check_fault(const StagedFault& fault, const std::vector<workflow::Workflow>& workflows);

}  // namespace teamster::cli
