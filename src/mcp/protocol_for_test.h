// HeldTools: two tools whose calls wait until the test finishes them, and Talk: a client that
// writes lines to a Protocol and reads its answers as JSON. For tests of the protocol.
#pragma once

#include <deque>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mcp/protocol.h"

namespace teamster::mcp {

class HeldTools : public Tools {
 public:
  HeldTools() {
    const Json add = Json::parse(R"({"type":"object","required":["a","b"],"additionalProperties":false,
                                     "properties":{"a":{"type":"integer"},"b":{"type":"integer"}}})");
    const Json sum = Json::parse(R"({"type":"object","required":["sum"],"properties":{"sum":{"type":"integer"}}})");
    const Json annotations = {{"readOnlyHint", true}};
    tools_.push_back({"add", "Add", "Adds two numbers", add, sum, annotations});
    tools_.push_back(
        {"echo", "Echo", "Says it again", Json{{"type", "object"}}, Json{{"type", "object"}}, annotations});
  }
  const std::vector<Tool>& list() const override { return tools_; }
  std::string instructions() const override { return "Use \"add\".\n"; }
  void call(const std::string& name, Json arguments, Done done) override {
    calls.push_back({name, std::move(arguments), std::move(done)});
  }

  struct Call {
    std::string name;
    Json arguments;
    Done done;
  };
  // Finishes the oldest call; whether anybody waited for it.
  bool finish(ToolResult result) {
    Call call = std::move(calls.front());
    calls.pop_front();
    return call.done(std::move(result));
  }
  bool finish(const Json& structured) { return finish(ToolResult{.structured = dump_json(structured)}); }

  std::deque<Call> calls;

 private:
  std::vector<Tool> tools_;
};

class Talk {
 public:
  void say(const std::string& line) { protocol.take(line + "\n"); }
  void say(const Json& message) { say(dump_json(message)); }

  // Everything answered since the last time; each line must be a message.
  std::vector<Json> heard() {
    std::vector<Json> messages;
    std::istringstream stream(protocol.take_output());
    for (std::string line; std::getline(stream, line);) {
      messages.push_back(Json::parse(line, nullptr, false));
      EXPECT_EQ(messages.back().value("jsonrpc", ""), "2.0") << line;
    }
    return messages;
  }
  // The one answer to what is said.
  template <class Message>
  Json ask(const Message& message) {
    say(message);
    auto messages = heard();
    EXPECT_EQ(messages.size(), 1U);
    return messages.size() == 1 ? messages[0] : Json();
  }

  Json initialize(const std::string& version = "2025-11-25") {
    return ask(Json{{"jsonrpc", "2.0"},
                    {"id", 0},
                    {"method", "initialize"},
                    {"params",
                     {{"protocolVersion", version},
                      {"capabilities", Json::object()},
                      {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}});
  }
  static Json request(const Json& id, const std::string& method, Json params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
  }
  // With what a request of 2026-07-28 carries.
  static Json modern(const Json& id, const std::string& method, Json params = Json::object(),
                     const std::string& version = "2026-07-28") {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = version;
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    return request(id, method, std::move(params));
  }
  static Json add(const Json& id, int a, int b) {
    return request(id, "tools/call", {{"name", "add"}, {"arguments", {{"a", a}, {"b", b}}}});
  }

  HeldTools tools;
  Protocol protocol{tools};
};

inline int error_code(const Json& answer) { return answer.contains("error") ? answer["error"].value("code", 0) : 0; }

}  // namespace teamster::mcp
