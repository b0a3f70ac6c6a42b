// Reply: what a scripted model says to one request, without a word about how it is written on
// the wire. Asked: what a request shows to the model, likewise. Values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster::model {

// The texts are what is written in the messages, unescaped: prompts, answers, tool results.
struct Asked {
  std::string api_key = {};
  std::string model = {};
  std::string system = {};
  std::string text = {};  // of all messages
  std::string last = {};  // of the messages since the model spoke last
  std::size_t messages = 0;
  std::vector<std::string> tools = {};
  bool wants_stream = false;
};

struct Block {
  enum class Kind { thinking, text, tool_use };
  Kind kind = Kind::text;
  std::string text;  // or the name of the tool
  Json input;        // of the tool
};

struct Usage {
  std::int64_t input_tokens = 100;
  std::int64_t output_tokens = 20;
  std::int64_t cache_read_input_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
};

struct Failure {
  int status = 500;
  std::string message;
  std::optional<std::int64_t> retry_after_seconds;
};

// The text between two others, where it is found last.
struct Excerpt {
  std::string after;
  std::string until;
};

struct Reply {
  enum class Stall { none, before, middle };

  std::vector<Block> blocks;
  Usage usage;
  std::string stop_reason;  // empty: as the blocks say
  std::optional<Failure> error;
  Stall stall = Stall::none;
  std::chrono::milliseconds chunk_delay{0};  // before each piece of the stream
  std::string hold;                          // not before this file is there, beside the script
  std::vector<std::string> expect;           // given only when the request contains all of these
  std::map<std::string, Excerpt> take;       // {{name}} in texts and inputs stands for this part of the request
  std::optional<std::int64_t> repeat = 1;    // nullopt: for ever
};

}  // namespace teamster::model
