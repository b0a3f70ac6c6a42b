// Words for the scripts of the model server: what the model says to a member, reply by reply.
// Values without state.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::real {

// A list of one Json in braces would be that Json and no list, were this a Json itself.
using Turns = std::vector<Json>;

// The script's part for one member, known by its key.
Json conversation_of(const std::string& member, const Turns& turns);
std::string key_of(const std::string& member);
Json script_of(const Turns& conversations);

Json say(const std::string& text);
Json call(const std::string& tool, const Json& input = Json::object());
Json run(const std::string& command);
// An error of the provider instead of an answer.
Json refuse(int status);

// Changes of a reply: given only when this file is released; given only to a request that
// contains the text; given so often; and what it says it has cost.
Json held(Json reply, const std::string& file);
Json expecting(Json reply, const std::string& text);
Json repeated(Json reply, int times);
struct Tokens {
  int input = 0;
  int output = 0;
  int cached = 0;
};
Json costing(Json reply, const Tokens& tokens);

}  // namespace teamster::real
