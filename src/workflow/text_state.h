// TextState: a RunState in which JSON is kept as the text it was written in. Taking up a run whose
// journal is long folds into this one: to make a tree of everything and throw it away again
// with the next record took nearly all of the time. A value; the fold is that of RunState.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "workflow/run_state.h"
#include "workflow/text_record.h"

namespace teamster::workflow {

struct TextAnswer {
  std::string value;
  std::int64_t sequence = 0;
};

struct OpenText {
  std::string kind;
  std::string step;
  std::int64_t attempt = 0;
  std::string body;     // may have `do`, `step` and `attempt`
  WallTime since = {};  // when it was decided
};

// Empty text is null.
struct TextState : RunFacts {
  std::string args = "{}";
  std::string values = "{}";
  std::string people;
  std::map<std::string, TextAnswer> answers;
  std::vector<std::string> notes;
  std::map<std::string, OpenText> open;
  std::vector<std::string> items;
  std::map<std::string, std::string> gathered;
};

void apply(TextState& state, const TextRecord& record);

TextState to_text(const RunState& state);
// Code::invalid where a text is no JSON.
Result<RunState> to_tree(const TextState& state);

}  // namespace teamster::workflow
