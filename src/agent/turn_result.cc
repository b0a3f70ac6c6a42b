#include "agent/turn_result.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

// As it will be written, and so as long.
std::string as_utf8(std::string text) {
  if (!find_invalid_utf8(text)) return text;
  auto written =
      parse_json(dump_json(Json(std::move(text))), {.max_bytes = std::size_t{8} * limits::kAgentLineMaxBytes});
  return written ? written->get<std::string>() : std::string();
}

std::string bounded(std::string text, std::size_t max_bytes) {
  return std::string(beginning_of(as_utf8(std::move(text)), max_bytes));
}

Json spent_json(const TurnResult& result) {
  Json spent = result.spent.json();
  spent["duration_ms"] = to_ms(result.took);
  return spent;
}

}  // namespace

void bound(TurnResult& result) {
  std::string text = as_utf8(std::move(result.end.text));
  if (text.size() > limits::kTurnTextMaxBytes) {
    result.whole_text = {text.size(), to_hex(sha256(text))};
    text = beginning_of(text, limits::kTurnTextMaxBytes);
  }
  result.end.text = std::move(text);
  result.end.stop_reason = bounded(std::move(result.end.stop_reason), limits::kTurnErrorMaxBytes);
  result.end.error = bounded(std::move(result.end.error), limits::kTurnErrorMaxBytes);
  if (result.restarts.size() > limits::kTurnRestartsMax) result.restarts.resize(limits::kTurnRestartsMax);
  for (auto& why : result.restarts) why = bounded(std::move(why), limits::kTurnErrorMaxBytes);
}

Json turn_json(const TurnResult& result) {
  Json turn = {{"text", result.end.text}, {"usage", result.end.usage.json()}};
  if (!result.end.stop_reason.empty()) turn["stop"] = result.end.stop_reason;
  if (!result.end.is_good()) {
    turn["fault"] = to_string(result.end.fault);
    turn["error"] = result.end.error;
  }
  if (result.whole_text) {
    turn["text_bytes"] = result.whole_text->bytes;
    turn["text_sha256"] = result.whole_text->sha256;
  }
  if (result.answer.value) turn["result"] = *result.answer.value;
  if (result.prompt.empty()) return turn;
  turn["prompt"] = result.prompt;
  turn["spent"] = spent_json(result);
  if (!result.restarts.empty()) turn["restarts"] = result.restarts;
  return turn;
}

TurnResult read_turn(const Json& turn) {
  TurnResult result;
  result.end.text = raw_text_in(turn, "text");
  result.end.stop_reason = raw_text_in(turn, "stop");
  result.end.usage = Usage::read(field_in(turn, "usage"));
  if (const std::string fault = raw_text_in(turn, "fault"); !fault.empty()) {
    result.end.fault = fault_from_string(fault);
    result.end.error = raw_text_in(turn, "error");
  }
  if (turn.contains("text_bytes"))
    result.whole_text = {static_cast<std::size_t>(number_in(turn, "text_bytes")), raw_text_in(turn, "text_sha256")};
  if (turn.contains("result")) result.answer.value = turn.at("result");
  result.prompt = raw_text_in(turn, "prompt");
  result.spent = Usage::read(field_in(turn, "spent"));
  result.took = std::chrono::milliseconds(number_in(field_in(turn, "spent"), "duration_ms"));
  for (const auto& why : list_in(turn, "restarts"))
    if (why.is_string()) result.restarts.push_back(why);
  return result;
}

}  // namespace teamster::agent
