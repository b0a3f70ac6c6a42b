// HubConnection: a client of the hub together with the world it lives in, for a process
// of the benchmark that does one request after another. Made after the fork, never before.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "env/real/world.h"
#include "protocol/client/client.h"

namespace teamster::bench {

class HubConnection {
 public:
  HubConnection(const hub::Home& home, hub::Access access) : client_(world_.view(), home, std::move(access)) {}

  Result<Json> call(std::string op, Json args, std::optional<Duration> wait = std::nullopt) {
    return client_.call_and_wait({.op = std::move(op), .args = std::move(args), .wait = wait, .key = {}});
  }
  hub::Client& client() { return client_; }
  env::Loop& loop() { return world_.loop(); }
  env::World world() { return world_.view(); }

 private:
  env::real::World world_;
  hub::Client client_;
};

}  // namespace teamster::bench
