// Tools: what an MCP server offers, as the protocol sees it. Implemented by TeamTools for
// agents and by fakes in tests; used from one thread. The protocol has checked arguments
// against the tool's schema before it calls.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"

namespace teamster::mcp {

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema;
  Json output_schema;
  Json annotations;
};

struct ToolResult {
  // The result as JSON on one line; empty when the tool failed.
  std::string structured = {};
  // What a model reads; the same JSON when empty. Of a failure: what went wrong and what to do.
  std::string text = {};
  bool is_error = false;
  // More for the model to read, each a block of its own.
  std::vector<std::string> more_texts = {};
};

inline ToolResult failure(const Error& error) { return {.text = error.text(), .is_error = true}; }
inline ToolResult success(const Json& answer) { return {.structured = dump_json(answer)}; }

class Tools {
 public:
  // Called exactly once for each call, also from inside it. False when nobody waits for the
  // result any more: it goes nowhere.
  using Done = std::function<bool(ToolResult)>;

  virtual ~Tools() = default;
  // Never changes.
  virtual const std::vector<Tool>& list() const = 0;
  // What a model should know about the tools as a whole.
  virtual std::string instructions() const = 0;
  // The tool is one of the list, and the arguments are an object.
  virtual void call(const std::string& name, Json arguments, Done done) = 0;
  // Calls between these two came together and may be sent on together.
  virtual void begin_calls() {}
  virtual void end_calls() {}
};

}  // namespace teamster::mcp
