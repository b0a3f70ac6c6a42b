// Fuzz target: the MCP protocol. The first byte of the input says how the rest is cut into
// pieces and whether calls are finished at once or at the end; what is answered must not
// depend on the pieces. Everything that comes out is one message per line, no request is
// answered twice, and nothing is answered that was not asked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "mcp/protocol.h"
#include "require.h"

namespace {

using teamster::Json;
using Done = teamster::mcp::Tools::Done;

class FuzzTools : public teamster::mcp::Tools {
 public:
  explicit FuzzTools(bool finishes_at_once) : finishes_at_once_(finishes_at_once) {
    const Json arguments = Json::parse(R"({"type":"object","required":["a"],"additionalProperties":false,"properties":{
      "a":{"type":["integer","string"],"pattern":"^[a-z]*$"},"b":{"type":"array","items":{"$ref":"#/properties/a"}}}})");
    tools_.push_back({"tool", "Tool", "Does nothing", arguments, Json{{"type", "object"}}, Json::object()});
  }
  const std::vector<teamster::mcp::Tool>& list() const override { return tools_; }
  std::string instructions() const override { return "fuzz"; }
  void call(const std::string& name, Json arguments, Done done) override {
    REQUIRE(name == "tool" && arguments.is_object() && arguments.contains("a"));
    open_.emplace_back(teamster::dump_json(arguments), std::move(done));
    if (finishes_at_once_) finish();
  }
  void finish() {
    for (auto& [text, done] : std::exchange(open_, {})) done({.structured = text});
  }

 private:
  const bool finishes_at_once_;
  std::vector<teamster::mcp::Tool> tools_;
  std::vector<std::pair<std::string, Done>> open_;
};

std::string talk(std::string_view bytes, std::size_t largest, bool finishes_at_once) {
  FuzzTools tools(finishes_at_once);
  teamster::mcp::Protocol protocol(tools);
  std::string out;
  // Sizes of pieces: 1, 2, 3 … up to `largest`, and again.
  for (std::size_t size = 1; !bytes.empty(); size = size % largest + 1) {
    const std::size_t piece = std::min(size, bytes.size());
    protocol.take(bytes.substr(0, piece));
    bytes.remove_prefix(piece);
    out += protocol.take_output();
  }
  tools.finish();
  protocol.tell_progress();
  out += protocol.take_output();
  REQUIRE(protocol.calls_in_flight() == 0);
  protocol.end();
  return out + protocol.take_output();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    REQUIRE(end != std::string_view::npos);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Each line is a message; of each id there are no more answers than lines that may have asked.
void check(std::string_view input, std::string_view output) {
  const auto asked = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n'));
  std::size_t answers = 0;
  for (const auto line : lines_of(output)) {
    const Json message = Json::parse(line, nullptr, false);
    REQUIRE(message.is_object() && message.value("jsonrpc", "") == "2.0");
    const bool is_notification = message.contains("method");
    REQUIRE(is_notification != message.contains("id"));
    REQUIRE(is_notification || message.contains("result") != message.contains("error"));
    answers += is_notification ? 0 : 1;
  }
  // A line that is too long is answered before it ends.
  REQUIRE(answers <= asked + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t largest = (bytes[0] >> 1U) + std::size_t{1};
  const bool finishes_at_once = (bytes[0] & 1U) != 0;
  const std::string pieces = talk(stream, largest, finishes_at_once);
  check(stream, pieces);
  REQUIRE(pieces == talk(stream, stream.size() + 1, finishes_at_once));
  return 0;
}
