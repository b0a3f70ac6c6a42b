// Script: who says what, read from a JSON file. Conversations are recognised by what their
// requests carry; each has its own list of replies. Reading is strict: a word that is not known
// is an error that names its place, since a misspelt one would change what a test tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model_server/reply.h"

namespace teamster::model {

// All that is given must hold.
struct Match {
  std::optional<std::string> api_key = {};
  std::optional<std::string> model = {};
  std::optional<std::string> system_contains = {};
  std::optional<std::string> contains = {};  // in any message
  std::optional<bool> has_tools = {};        // small requests of the agent's own have none

  bool fits(const Asked& asked) const;
};

struct Conversation {
  std::string name;
  Match match;
  std::vector<Reply> turns;
};

struct Script {
  std::vector<Conversation> conversations;
  std::vector<Reply> fallback;  // for what fits none; the last one again and again
};

Result<Script> parse_script(std::string_view text);

}  // namespace teamster::model
