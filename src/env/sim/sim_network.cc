#include "env/sim/sim_network.h"

#include <algorithm>

#include <fmt/format.h>

namespace teamster::env::sim {

class SimListener : public Listener {
 public:
  SimListener(SimNetwork& network, SimNetwork::ListenerId id) : network_(network), id_(id) {}
  ~SimListener() override { network_.close_listener(id_); }
  SimListener(const SimListener&) = delete;
  SimListener& operator=(const SimListener&) = delete;

 private:
  SimNetwork& network_;
  const SimNetwork::ListenerId id_;
};

namespace {

std::string path_of(const SocketAddress& address) { return address.directory + "/" + address.name; }

Error nobody_listens(const std::string& path) {
  return {Code::unavailable, fmt::format("cannot connect to {}: Connection refused", path),
          "Nobody listens there: start it first"};
}

}  // namespace

Result<std::unique_ptr<Listener>> SimNetwork::listen(HostId host, const SocketAddress& address,
                                                     Network::Accept accept) {
  const std::string path = path_of(address);
  if (!loop_.is_alive(host)) return fail(Code::unavailable, fmt::format("cannot listen on {}: killed", path));
  const ListenerId id = ++last_listener_;
  listeners_[id] = Listening{host, path, std::make_shared<const Network::Accept>(std::move(accept))};
  // A listener that had the name keeps what it accepted, but nobody finds it any more.
  names_[path] = id;
  return std::make_unique<SimListener>(*this, id);
}

Result<std::unique_ptr<Stream>> SimNetwork::connect(HostId host, const SocketAddress& address) {
  const std::string path = path_of(address);
  const auto name = names_.find(path);
  if (name == names_.end() || !loop_.is_alive(host) || random_.chance(faults_.refuse_connect))
    return fail(nobody_listens(path));
  const ListenerId listener = name->second;
  const HostId server = listeners_.at(listener).host;
  const auto connection =
      std::make_shared<SimConnection>(SimConnection::Surroundings{loop_, random_, faults_}, host, server);
  living_connections();  // forgets the dead ones
  connections_.push_back(connection);
  const auto delay = Duration(random_.below(static_cast<std::uint64_t>(faults_.delay_max.count()) + 1));
  const std::uint64_t number = ++last_accept_;
  accepting_[number] = loop_.schedule(server, SimLoop::Kind::input, delay, [this, number, listener, connection] {
    accepting_.erase(number);
    accept(listener, connection);
  });
  return connection->stream(0);
}

void SimNetwork::accept(ListenerId listener, const std::shared_ptr<SimConnection>& connection) {
  // When the listener is gone, dropping the stream is what tells the client.
  auto stream = connection->stream(1);
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  const auto callback = found->second.accept;
  (*callback)(std::move(stream));
}

void SimNetwork::close_listener(ListenerId listener) {
  const auto node = listeners_.extract(listener);
  if (node.empty()) return;
  const auto name = names_.find(node.mapped().address);
  if (name != names_.end() && name->second == listener) names_.erase(name);
}

void SimNetwork::kill(HostId host) {
  std::vector<ListenerId> owned;
  for (const auto& [id, listening] : listeners_)
    if (listening.host == host) owned.push_back(id);
  for (const ListenerId id : owned) close_listener(id);
  for (const auto& connection : living_connections()) connection->kill(host);
}

void SimNetwork::cut_all() {
  for (const auto& connection : living_connections()) connection->cut();
}

std::vector<std::shared_ptr<SimConnection>> SimNetwork::living_connections() {
  std::vector<std::shared_ptr<SimConnection>> living;
  std::erase_if(connections_, [&](const auto& weak) {
    if (auto connection = weak.lock()) living.push_back(std::move(connection));
    return weak.expired();
  });
  return living;
}

}  // namespace teamster::env::sim
