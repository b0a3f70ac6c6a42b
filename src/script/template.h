// Fills {{NAME}} in a script's texts: what was heard, and what tools have answered. Pure.
// A name it does not know stays as it is, since files that a script writes may have such
// names for themselves.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"

namespace teamster::script {

struct Words {
  std::map<std::string, std::string, std::less<>> texts;  // PROMPT, TURN, MESSAGE, HEARD
  const std::map<std::string, Json>& saved;               // {{name.key.0}}
};

std::string fill(std::string_view text, const Words& words);
// In all strings of the value. One that is nothing but a saved name becomes what was saved,
// be it a number or a list.
Json fill_json(const Json& value, const Words& words);

}  // namespace teamster::script
