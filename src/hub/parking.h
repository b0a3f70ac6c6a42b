// Parking: requests that wait for something to happen, by topic and by deadline. Owned by
// the server; the order of arrival is kept, so waiters are served first come, first served.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/time.h"
#include "team/actor.h"
#include "team/topic.h"

namespace teamster::hub {

using ConnectionId = std::uint64_t;

// A request as the server keeps it until it is answered.
struct Pending {
  ConnectionId connection = 0;
  std::int64_t id = 0;
  team::Actor actor;
  std::string op;
  std::string key;
  Json args;
  std::optional<Instant> wait_until;
};

class Parking {
 public:
  void park(Pending request, const std::vector<team::Topic>& topics);
  // Takes out the requests parked on any of the topics, oldest first.
  std::vector<Pending> take(const std::vector<team::Topic>& topics);
  std::vector<Pending> take_expired(Instant now);
  void drop_connection(ConnectionId connection);

  std::optional<Instant> next_deadline() const;
  std::size_t size() const { return spots_.size(); }
  bool is_waited_for(const team::Topic& topic) const { return by_topic_.contains(topic); }

 private:
  using Number = std::uint64_t;
  struct Spot {
    Pending request;
    std::vector<team::Topic> topics;
  };
  Pending remove(Number number);

  Number next_ = 1;
  std::map<Number, Spot> spots_;
  std::map<team::Topic, std::set<Number>> by_topic_;
  std::set<std::pair<Instant, Number>> by_deadline_;
  std::map<ConnectionId, std::set<Number>> by_connection_;
};

}  // namespace teamster::hub
