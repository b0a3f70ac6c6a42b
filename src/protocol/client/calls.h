// Calls: the requests of one owner to the hub, any number at a time. A member of its owner: the answers come while it
// lives and never after, and an answer may destroy it. Borrows the client; driven by the client's loop.
#pragma once

#include <cstdint>
#include <map>

#include "env/registration.h"
#include "protocol/client/client.h"

namespace teamster::hub {

class Calls {
 public:
  explicit Calls(Client& client) : client_(client) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // As Client::call.
  void call(Request request, Client::Answer answer);

 private:
  Client& client_;
  std::map<std::int64_t, env::Registration> unanswered_;
  std::int64_t last_ = 0;
};

}  // namespace teamster::hub
