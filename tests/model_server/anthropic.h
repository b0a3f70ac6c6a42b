// AnthropicFormat: the Anthropic Messages API, POST /v1/messages, as a stream of events or as
// one document, and its token counter. The functions are pure; the class sends what they make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model_server/wire_format.h"

namespace teamster::model {

class AnthropicFormat : public WireFormat {
 public:
  bool is_turn(const HttpRequest& request) const override;
  bool answer_aside(const HttpRequest& request, Exchange& exchange) const override;
  Result<Asked> read(const HttpRequest& request) const override;
  bool answer(const Asked& asked, const Reply& reply, std::int64_t number, Exchange& exchange) const override;
  bool refuse(const Failure& failure, Exchange& exchange) const override;
};

// The reply as one document.
Json anthropic_message(const Asked& asked, const Reply& reply, std::int64_t number);
// The same as events; each has its "type".
std::vector<Json> anthropic_events(const Asked& asked, const Reply& reply, std::int64_t number);

}  // namespace teamster::model
