// WireFormat: one way in which agents and model servers speak, as the server needs it: what a
// request asks, and a reply in that language. Formats know nothing of scripts, and scripts
// nothing of them; another API is another WireFormat. Stateless, used by all threads.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model_server/exchange.h"
#include "model_server/http.h"
#include "model_server/reply.h"

namespace teamster::model {

class WireFormat {
 public:
  virtual ~WireFormat() = default;

  // Whether this is a request for a turn of the model.
  virtual bool is_turn(const HttpRequest& request) const = 0;
  // Answers what belongs to this API and is no turn; false when it is not of this API.
  virtual bool answer_aside(const HttpRequest& request, Exchange& exchange) const = 0;

  virtual Result<Asked> read(const HttpRequest& request) const = 0;
  // False when the client has left before the end. `number` makes the ids of the answer unique.
  virtual bool answer(const Asked& asked, const Reply& reply, std::int64_t number, Exchange& exchange) const = 0;
  virtual bool refuse(const Failure& failure, Exchange& exchange) const = 0;
};

}  // namespace teamster::model
