// Answer: the JSON that a turn was asked for, from wherever the agent put it: the `report`
// tool, structured output, or the last JSON block of its words; checked against the
// schema, and against what the journal takes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "schema/schema.h"

namespace teamster::agent {

struct AnswerSources {
  std::optional<Json> report;
  std::vector<std::string> refused_report = {};  // what was wrong with a report that the tool did not take
  std::optional<Json> structured;
  std::string text;
};

struct Answer {
  std::optional<Json> value;  // conforms to the schema
  std::string source;         // "report", "structured output" or "text"; of the best try, also when it failed
  std::vector<std::string> problems;
};

Answer find_answer(const AnswerSources& sources, const schema::Schema& schema);

// The last JSON object or list in a text: in a fenced block, or bare.
std::optional<Json> last_json(std::string_view text);

// How an agent hands its answer in.
struct AnswerWay {
  bool has_report = false;     // it has the team's tools
  bool is_form_shown = false;  // by an example, in what it is asked
  std::string marker = {};     // a line before the answer where it is words; empty: none
};
// What an agent is told beside its prompt, and when its answer was not right.
std::string schema_instructions(const Json& schema, const AnswerWay& way);
std::string mend_request(const Answer& answer, const Json& schema);

}  // namespace teamster::agent
