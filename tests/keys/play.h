// Play: what happens to a run of a good workflow, from the `play.json` beside it: the project it is in, its arguments,
// and what agents, commands and people answer, step by step. A value. What a play leaves open happens as well as it
// can: answers fit their schemas, checks pass, people say yes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/format/bundle.h"

namespace teamster::keys {

inline constexpr const char* kPlayFile = "play.json";

struct Play {
  std::string name;
  std::map<std::string, std::string> files = {};  // of the project, by path
  std::vector<std::string> uncommitted = {};      // of these, the paths that git does not know
  std::map<std::string, std::string> settings = {};
  std::map<std::string, int> commands = {};             // exit codes by the words with which they begin, before the run
  std::vector<std::string> words = {};                  // arguments
  std::map<std::string, std::string> flags = {};        // as they are typed, without dashes
  std::map<std::string, std::string> environment = {};  // variables
  Json people = {};
  std::string active = {};   // another run that is driven now
  bool is_detached = false;  // HEAD is on no branch
  // By step, or by phase: one entry for each time it is at hand. A map without `$` is the answer. `{"$fails": FAULT}`,
  // `{"$due": WHAT}`, `{"$asks": TEXT, "$reason": WORD}`, `{"$writes": {PATH: TEXT}, …}` and `{"$usage": {…}, …}` are
  // what else can happen; `"$answer"` in them is the answer. `"$times": 3` is so often the same.
  std::map<std::string, std::vector<Json>> steps = {};
};

// Those of the workflow's play.json: a list of plays, each with what `"all"` says unless it says otherwise; null there
// takes something away.
std::vector<Play> plays_of(const workflow::Bundle& bundle);

// A value that the schema allows, as small as it can be: for answers that a play does not give.
Json example_of(const Json& schema);

}  // namespace teamster::keys
