// Service: what the server does with a request, whoever sent it: finds the wire format, asks the
// player for the reply, logs both and has it written. Called by the threads of all connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model_server/exchange.h"
#include "model_server/http.h"
#include "model_server/player.h"
#include "model_server/request_log.h"
#include "model_server/wire_format.h"

namespace teamster::model {

class Service {
 public:
  // The log must outlive it. Files that replies are held for are found in the directory.
  Service(Script script, RequestLog& log, std::filesystem::path directory);

  // False when the connection cannot be used any more.
  bool handle(const HttpRequest& request, Exchange& exchange);

 private:
  bool take_turn(const WireFormat& format, const HttpRequest& request, Exchange& exchange);
  // Waits for what the reply is held for; false when the client leaves meanwhile.
  bool wait_for_release(const Reply& reply, Exchange& exchange) const;
  bool answer_other(const HttpRequest& request, Exchange& exchange) const;

  Player player_;
  RequestLog& log_;
  const std::filesystem::path directory_;
  std::vector<std::unique_ptr<WireFormat>> formats_;
  std::atomic<std::int64_t> requests_ = 0;
};

}  // namespace teamster::model
