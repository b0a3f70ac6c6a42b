// SimNetwork: all sockets of the simulation, by address. Every connection and listener
// belongs to a host and vanishes with it. Owned by sim::World; hosts see a HostNetwork.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/network.h"
#include "env/sim/network_faults.h"
#include "env/sim/sim_connection.h"
#include "env/sim/sim_loop.h"

namespace teamster::env::sim {

class SimNetwork {
 public:
  SimNetwork(SimLoop& loop, SimRandom random) : loop_(loop), random_(random) {}
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  void set_faults(NetworkFaults faults) { faults_ = faults; }
  const NetworkFaults& faults() const { return faults_; }
  // Breaks every connection there is.
  void cut_all();
  // Its listeners are gone and its peers see the end of their streams.
  void kill(HostId host);

  Result<std::unique_ptr<Listener>> listen(HostId host, const SocketAddress& address, Network::Accept accept);
  Result<std::unique_ptr<Stream>> connect(HostId host, const SocketAddress& address);

 private:
  friend class SimListener;
  struct Listening {
    HostId host;
    std::string address;
    std::shared_ptr<const Network::Accept> accept;
  };
  using ListenerId = std::uint64_t;

  void accept(ListenerId listener, const std::shared_ptr<SimConnection>& connection);
  void close_listener(ListenerId listener);
  std::vector<std::shared_ptr<SimConnection>> living_connections();

  SimLoop& loop_;
  SimRandom random_;
  NetworkFaults faults_;
  std::map<ListenerId, Listening> listeners_;
  std::map<std::string, ListenerId> names_;  // the listener a name leads to
  ListenerId last_listener_ = 0;
  std::vector<std::weak_ptr<SimConnection>> connections_;
  std::map<std::uint64_t, Registration> accepting_;
  std::uint64_t last_accept_ = 0;
};

// The Network that one simulated process sees.
class HostNetwork : public Network {
 public:
  HostNetwork(SimNetwork& network, HostId host) : network_(network), host_(host) {}
  Result<std::unique_ptr<Listener>> listen(const SocketAddress& address, Accept accept) override {
    return network_.listen(host_, address, std::move(accept));
  }
  Result<std::unique_ptr<Stream>> connect(const SocketAddress& address) override {
    return network_.connect(host_, address);
  }

 private:
  SimNetwork& network_;
  const HostId host_;
};

}  // namespace teamster::env::sim
