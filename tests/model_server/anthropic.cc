#include "model_server/anthropic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::model {
namespace {

constexpr std::size_t kRequestMaxDepth = 128;  // schemas of tools are deep
constexpr std::size_t kPieceMinBytes = 16;
constexpr std::size_t kPiecesMax = 256;
constexpr std::size_t kBytesPerToken = 4;  // a guess, for the token counter

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return status < 500 ? "invalid_request_error" : "api_error";
  }
}

// All text in a content, which is a string or a list of blocks.
void collect_text(const Json& content, std::string& text) {
  if (content.is_string()) {
    text += content.get_ref<const std::string&>() + "\n";
  } else if (content.is_array()) {
    for (const auto& block : content) collect_text(block, text);
  } else if (content.is_object()) {
    for (const auto* field : {"text", "thinking", "content"})
      if (content.contains(field)) collect_text(content[field], text);
    if (content.contains("input")) text += dump_json(content["input"]) + "\n";
  }
}

Result<void> read_messages(const Json& body, Asked& asked) {
  const auto messages = body.find("messages");
  if (messages == body.end() || !messages->is_array() || messages->empty())
    return fail(Code::invalid, "messages: a list with at least one message is required");
  for (const auto& message : *messages) {
    const std::string role = TRY(string_field(message, "role"));
    if (role != "user" && role != "assistant" && role != "system")
      return fail(Code::invalid, fmt::format("messages: unknown role '{}'", role));
    std::string text;
    if (message.contains("content")) collect_text(message["content"], text);
    asked.text += text;
    asked.last = role == "assistant" ? "" : asked.last + text;
  }
  asked.messages = messages->size();
  return {};
}

Result<void> read_tools(const Json& body, Asked& asked) {
  const auto tools = body.find("tools");
  if (tools == body.end() || tools->is_null()) return {};
  if (!tools->is_array()) return fail(Code::invalid, "tools: a list is required");
  for (const auto& tool : *tools) asked.tools.push_back(TRY(string_field(tool, "name")));
  return {};
}

// Cut where a character ends, into pieces as a model would send them.
std::vector<std::string> pieces_of(const std::string& text) {
  const std::size_t least = std::max(kPieceMinBytes, text.size() / kPiecesMax);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + least, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::string stop_reason_of(const Reply& reply) {
  if (!reply.stop_reason.empty()) return reply.stop_reason;
  const bool calls = std::any_of(reply.blocks.begin(), reply.blocks.end(),
                                 [](const auto& block) { return block.kind == Block::Kind::tool_use; });
  return calls ? "tool_use" : "end_turn";
}

std::string tool_use_id(std::int64_t number, std::size_t index) {
  return fmt::format("toolu_{:06}{:03}", number, index);
}

Json whole_block(const Block& block, std::int64_t number, std::size_t index) {
  switch (block.kind) {
    case Block::Kind::thinking:
      return {{"type", "thinking"}, {"thinking", block.text}, {"signature", "c2lnbmVk"}};
    case Block::Kind::text:
      return {{"type", "text"}, {"text", block.text}};
    case Block::Kind::tool_use:
      return {{"type", "tool_use"}, {"id", tool_use_id(number, index)}, {"name", block.text}, {"input", block.input}};
  }
  return nullptr;
}

// How the block is announced, before its pieces.
Json empty_block(const Block& block, std::int64_t number, std::size_t index) {
  Json empty = whole_block(block, number, index);
  if (block.kind == Block::Kind::tool_use) empty["input"] = Json::object();
  if (block.kind == Block::Kind::text) empty["text"] = "";
  if (block.kind == Block::Kind::thinking) empty["thinking"] = empty["signature"] = "";
  return empty;
}

std::vector<Json> deltas_of(const Block& block) {
  const bool is_tool = block.kind == Block::Kind::tool_use;
  const bool is_text = block.kind == Block::Kind::text;
  const char* type = is_tool ? "input_json_delta" : is_text ? "text_delta" : "thinking_delta";
  const char* field = is_tool ? "partial_json" : is_text ? "text" : "thinking";
  std::vector<Json> deltas;
  for (auto& piece : pieces_of(is_tool ? dump_json(block.input) : block.text))
    deltas.push_back({{"type", type}, {field, std::move(piece)}});
  if (block.kind == Block::Kind::thinking) deltas.push_back({{"type", "signature_delta"}, {"signature", "c2lnbmVk"}});
  return deltas;
}

Json usage_of(const Usage& usage, std::int64_t output_tokens) {
  return {{"input_tokens", usage.input_tokens},
          {"cache_read_input_tokens", usage.cache_read_input_tokens},
          {"cache_creation_input_tokens", usage.cache_creation_input_tokens},
          {"output_tokens", output_tokens}};
}

std::string event_text(const Json& event) {
  return fmt::format("event: {}\ndata: {}\n\n", event["type"].get<std::string>(), dump_json(event));
}

bool send_stream(const std::vector<Json>& events, const Reply& reply, Exchange& exchange) {
  if (!exchange.start_stream({{"content-type", "text/event-stream"}, {"cache-control", "no-cache"}})) return false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (reply.stall == Reply::Stall::middle && i == events.size() / 2) {
      exchange.pause_for_ever();
      return false;
    }
    const bool is_delta = events[i]["type"] == "content_block_delta";
    if (is_delta && reply.chunk_delay.count() > 0 && !exchange.pause(reply.chunk_delay)) return false;
    if (!exchange.stream(event_text(events[i]))) return false;
  }
  return exchange.end_stream();
}

bool send_document(const Json& message, const Reply& reply, Exchange& exchange) {
  const std::string body = dump_json(message);
  if (reply.stall == Reply::Stall::middle) {
    exchange.write(fmt::format("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
                               body.size(), body.substr(0, body.size() / 2)));
    exchange.pause_for_ever();
    return false;
  }
  if (reply.chunk_delay.count() > 0 && !exchange.pause(reply.chunk_delay)) return false;
  return exchange.answer(200, {{"content-type", "application/json"}}, body);
}

}  // namespace

Json anthropic_message(const Asked& asked, const Reply& reply, std::int64_t number) {
  Json content = Json::array();
  for (std::size_t i = 0; i < reply.blocks.size(); ++i) content.push_back(whole_block(reply.blocks[i], number, i));
  return {{"id", fmt::format("msg_{:06}", number)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", asked.model},
          {"content", std::move(content)},
          {"stop_reason", stop_reason_of(reply)},
          {"stop_sequence", nullptr},
          {"usage", usage_of(reply.usage, reply.usage.output_tokens)}};
}

std::vector<Json> anthropic_events(const Asked& asked, const Reply& reply, std::int64_t number) {
  Json opening = anthropic_message(asked, reply, number);
  opening["content"] = Json::array();
  opening["stop_reason"] = nullptr;
  opening["usage"] = usage_of(reply.usage, std::min<std::int64_t>(1, reply.usage.output_tokens));
  std::vector<Json> events;
  events.push_back({{"type", "message_start"}, {"message", std::move(opening)}});
  for (std::size_t i = 0; i < reply.blocks.size(); ++i) {
    events.push_back(
        {{"type", "content_block_start"}, {"index", i}, {"content_block", empty_block(reply.blocks[i], number, i)}});
    for (auto& delta : deltas_of(reply.blocks[i]))
      events.push_back({{"type", "content_block_delta"}, {"index", i}, {"delta", std::move(delta)}});
    events.push_back({{"type", "content_block_stop"}, {"index", i}});
  }
  events.push_back({{"type", "message_delta"},
                    {"delta", {{"stop_reason", stop_reason_of(reply)}, {"stop_sequence", nullptr}}},
                    {"usage", usage_of(reply.usage, reply.usage.output_tokens)}});
  events.push_back({{"type", "message_stop"}});
  return events;
}

bool AnthropicFormat::is_turn(const HttpRequest& request) const {
  return request.method == "POST" && request.path == "/v1/messages";
}

bool AnthropicFormat::answer_aside(const HttpRequest& request, Exchange& exchange) const {
  if (request.method != "POST" || request.path != "/v1/messages/count_tokens") return false;
  const auto asked = read(request);
  if (!asked) return refuse({400, asked.error().what, {}}, exchange), true;
  const Json counted = {{"input_tokens", (asked->system.size() + asked->text.size()) / kBytesPerToken + 1}};
  exchange.answer(200, {{"content-type", "application/json"}}, dump_json(counted));
  return true;
}

Result<Asked> AnthropicFormat::read(const HttpRequest& request) const {
  const Json body = TRY(parse_json(request.body, {.max_bytes = kBodyMaxBytes, .max_depth = kRequestMaxDepth}));
  if (!body.is_object()) return fail(Code::invalid, "the body is not a JSON object");
  Asked asked;
  asked.api_key = request.header("x-api-key");
  const std::string authorization = request.header("authorization");
  if (asked.api_key.empty() && authorization.starts_with("Bearer ")) asked.api_key = authorization.substr(7);
  asked.model = TRY(string_field(body, "model"));
  asked.wants_stream = TRY(flag_field(body, "stream"));
  if (body.contains("system")) collect_text(body["system"], asked.system);
  TRY_VOID(read_messages(body, asked));
  TRY_VOID(read_tools(body, asked));
  return asked;
}

bool AnthropicFormat::answer(const Asked& asked, const Reply& reply, std::int64_t number, Exchange& exchange) const {
  if (reply.stall == Reply::Stall::before) {
    exchange.pause_for_ever();
    return false;
  }
  if (reply.error) return refuse(*reply.error, exchange);
  if (asked.wants_stream) return send_stream(anthropic_events(asked, reply, number), reply, exchange);
  return send_document(anthropic_message(asked, reply, number), reply, exchange);
}

bool AnthropicFormat::refuse(const Failure& failure, Exchange& exchange) const {
  Headers headers = {{"content-type", "application/json"}};
  if (failure.retry_after_seconds) headers.emplace_back("retry-after", std::to_string(*failure.retry_after_seconds));
  const Json body = {{"type", "error"},
                     {"error", {{"type", error_type(failure.status)}, {"message", failure.message}}}};
  return exchange.answer(failure.status, headers, dump_json(body));
}

}  // namespace teamster::model
