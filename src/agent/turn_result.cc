#include "agent/turn_result.h"

#include <nlohmann/json.hpp>

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

}  // namespace

void bound(TurnResult& result) {
  std::string text = as_utf8(std::move(result.end.text));
  if (text.size() > limits::kTurnTextMaxBytes) {
    result.whole_text = {static_cast<std::int64_t>(text.size()), to_hex(sha256(text))};
    text = beginning_of(text, limits::kTurnTextMaxBytes);
  }
  result.end.text = std::move(text);
  result.end.stop_reason = bounded(std::move(result.end.stop_reason), limits::kTurnErrorMaxBytes);
  result.end.error = bounded(std::move(result.end.error), limits::kTurnErrorMaxBytes);
  if (result.restarts.size() > limits::kTurnRestartsMax) result.restarts.resize(limits::kTurnRestartsMax);
  for (auto& why : result.restarts) why = bounded(std::move(why), limits::kTurnErrorMaxBytes);
}

hub::EndedTurn ended_turn(const TurnResult& result) {
  hub::EndedTurn turn{.text = result.end.text,
                      .whole_text = result.whole_text,
                      .stop = result.end.stop_reason,
                      .result = result.answer.value,
                      .usage = result.end.usage,
                      .prompt = result.prompt,
                      .spent = result.spent,
                      .took = result.took,
                      .restarts = result.restarts};
  if (!result.end.is_good()) {
    turn.fault = to_string(result.end.fault);
    turn.error = result.end.error;
  }
  return turn;
}

TurnResult turn_result(hub::EndedTurn turn) {
  TurnResult result;
  result.end.text = std::move(turn.text);
  result.end.stop_reason = std::move(turn.stop);
  result.end.usage = turn.usage;
  if (!turn.fault.empty()) {
    result.end.fault = fault_from_string(turn.fault);
    result.end.error = std::move(turn.error);
  }
  result.whole_text = std::move(turn.whole_text);
  result.answer.value = std::move(turn.result);
  result.prompt = std::move(turn.prompt);
  result.spent = turn.spent;
  result.took = turn.took;
  result.restarts = std::move(turn.restarts);
  return result;
}

}  // namespace teamster::agent
