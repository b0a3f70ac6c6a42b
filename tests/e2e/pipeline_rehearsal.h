// PipelineRehearsal: rehearsals of the workflow pipeline on the example tally, with the example's scripts changed by
// each test. Agents are real processes, commits are real; time jumps. What was played is kept, and looked at by its
// journal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "e2e/fixture.h"

namespace teamster::e2e {

inline constexpr const char* kTrivialTask = "Let tally count the lines of a text";
inline constexpr const char* kStandardTask = "Write the numbers of tally below each other";
inline constexpr const char* kComplexTask = "Let tally count characters and write JSON";

class PipelineRehearsal : public testing::Test {
 protected:
  PipelineRehearsal();

  // The first turn for prompts with these words becomes what `how` makes of it, and is used once; what there was
  // follows.
  void once(const std::string& role, const std::string& words, const std::function<void(Json& steps)>& how);
  // The same, for good.
  void always(const std::string& role, const std::string& words, const std::function<void(Json& steps)>& how);
  // Other words of people, by step.
  void people(const Json& answers);
  // The report in these steps.
  static Json& report_of(Json& steps);
  // Report and file say FAIL, with this gap.
  static void fails(Json& steps, const std::string& what, const std::string& task = "");

  Outcome play(const std::string& task, const Words& more = {});
  // In the home of what was played.
  Json ask(const Words& words) const;
  Outcome look(const Words& words) const;
  const Json& events();
  // Phases in the order in which they were entered.
  std::vector<std::string> phases();
  std::vector<Json> decided(const std::string& kind);
  // STEP RUNG of each turn of these steps, in order; a first try has no rung.
  std::vector<std::string> turns(const std::string& beginning);
  std::string git(const std::string& command) const;
  // The metadata of the permanent task as it was last written.
  Json permanent_task() const;

  std::string workflow_ = "pipeline";
  Home home_;
  const std::string scripts_ = home_.scratch() + "/scripts";
  std::string kept_;
  Outcome played_;

 private:
  void change(const std::string& role, const std::string& words, bool is_once,
              const std::function<void(Json& steps)>& how);
  Json events_;
  int plays_ = 0;
};

}  // namespace teamster::e2e
