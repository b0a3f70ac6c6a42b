#include "hub/parking.h"

#include "base/check.h"

namespace teamster::hub {

void Parking::park(Pending request, const std::vector<team::Topic>& topics) {
  CHECK(request.wait_until.has_value());
  const Number number = next_++;
  for (const auto& topic : topics) by_topic_[topic].insert(number);
  by_deadline_.emplace(*request.wait_until, number);
  by_connection_[request.connection].insert(number);
  spots_.emplace(number, Spot{std::move(request), topics});
}

Pending Parking::remove(Number number) {
  auto node = spots_.extract(number);
  CHECK(!node.empty());
  Spot& spot = node.mapped();
  for (const auto& topic : spot.topics) {
    const auto entry = by_topic_.find(topic);
    entry->second.erase(number);
    if (entry->second.empty()) by_topic_.erase(entry);
  }
  by_deadline_.erase({*spot.request.wait_until, number});
  const auto connection = by_connection_.find(spot.request.connection);
  connection->second.erase(number);
  if (connection->second.empty()) by_connection_.erase(connection);
  return std::move(spot.request);
}

std::vector<Pending> Parking::take(const std::vector<team::Topic>& topics) {
  std::set<Number> numbers;
  for (const auto& topic : topics)
    if (const auto entry = by_topic_.find(topic); entry != by_topic_.end())
      numbers.insert(entry->second.begin(), entry->second.end());
  std::vector<Pending> taken;
  for (const Number number : numbers) taken.push_back(remove(number));
  return taken;
}

std::vector<Pending> Parking::take_expired(Instant now) {
  std::vector<Pending> taken;
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now)
    taken.push_back(remove(by_deadline_.begin()->second));
  return taken;
}

void Parking::drop_connection(ConnectionId connection) {
  const auto entry = by_connection_.find(connection);
  if (entry == by_connection_.end()) return;
  const std::set<Number> numbers = entry->second;
  for (const Number number : numbers) remove(number);
}

std::optional<Instant> Parking::next_deadline() const {
  if (by_deadline_.empty()) return std::nullopt;
  return by_deadline_.begin()->first;
}

}  // namespace teamster::hub
