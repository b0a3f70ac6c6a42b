#include "real/replies.h"

namespace teamster::real {

std::string key_of(const std::string& member) { return "dummy-key-of-" + member; }

Json conversation_of(const std::string& member, const Turns& turns) {
  return {{"name", member}, {"match", {{"api_key", key_of(member)}}}, {"turns", turns}};
}

Json script_of(const Turns& conversations) { return {{"conversations", conversations}}; }

Json say(const std::string& text) { return {{"text", text}}; }

Json call(const std::string& tool, const Json& input) { return {{"tool_use", {{"name", tool}, {"input", input}}}}; }

Json run(const std::string& command) { return call("Bash", {{"command", command}, {"description", "a test"}}); }

Json refuse(int status) { return {{"error", {{"status", status}}}}; }

Json held(Json reply, const std::string& file) {
  reply["hold"] = file;
  return reply;
}

Json expecting(Json reply, const std::string& text) {
  reply["expect"] = {{"contains", text}};
  return reply;
}

Json repeated(Json reply, int times) {
  reply["repeat"] = times;
  return reply;
}

Json costing(Json reply, const Tokens& tokens) {
  reply["usage"] = {
      {"input_tokens", tokens.input}, {"output_tokens", tokens.output}, {"cache_read_input_tokens", tokens.cached}};
  return reply;
}

}  // namespace teamster::real
