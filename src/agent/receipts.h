// Receipts: what a member's host has to tell the hub, in the order in which it happened and until the hub has it: how
// far messages have come, when turns begin and how they end, that the member leaves. Each is told under one key however
// often it takes, so none counts twice. Owned by HostedMember; driven by the loop; calls back from it, and not when it
// is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"
#include "env/loop.h"
#include "env/registration.h"
#include "env/world.h"
#include "protocol/client/call.h"
#include "protocol/client/client.h"
#include "protocol/client/message_calls.h"

namespace teamster::agent {

class Receipts {
 public:
  // The hub has it, or has refused it; a hub that cannot be reached is waited for.
  using Told = std::function<void(const Result<void>& recorded)>;

  Receipts(const env::World& world, hub::Client& hub) : world_(world), hub_(hub) {}
  Receipts(const Receipts&) = delete;
  Receipts& operator=(const Receipts&) = delete;

  // A typed call of protocol/client; of its answer only counts whether it was refused.
  template <class Call>
  void tell(Call call, Told told = {}) {
    add({hub::request_for(std::move(call)), std::move(told)});
  }
  void tell(hub::AcknowledgeMessages call);
  std::size_t untold() const { return untold_.size(); }
  // Messages of which the hub does not know yet how far they have come.
  std::set<MessageId> untold_messages() const;
  // Once, when nothing is left to tell; at once when nothing is.
  void when_all_is_told(std::function<void()> then);
  // Why the last try did not reach the hub.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Untold {
    hub::Request request;
    Told told = {};
    std::vector<MessageId> messages = {};  // whose receipt it is
    bool is_under_way = false;
    env::Registration call = {};
  };

  void add(Untold receipt);
  void send(std::int64_t number);
  void send_all();
  void answered(std::int64_t number, const Result<Json>& answer);

  env::World world_;
  hub::Client& hub_;
  std::map<std::int64_t, Untold> untold_;  // by the order in which they happened
  std::int64_t last_ = 0;
  bool is_pausing_ = false;  // until `again_`: what comes meanwhile waits behind what is to be told again
  env::Timer again_;
  std::string trouble_;
  std::function<void()> all_is_told_;
};

}  // namespace teamster::agent
