// SimConnection: two ends and the bytes under way between them, with seeded delays,
// splits and cuts. Bytes of one direction stay in order. Shared by its two streams and
// by its events in the loop; it ends when all of them are gone.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "env/network.h"
#include "env/send_buffer.h"
#include "env/sim/network_faults.h"
#include "env/sim/sim_loop.h"

namespace teamster::env::sim {

class SimConnection : public std::enable_shared_from_this<SimConnection> {
 public:
  struct Surroundings {
    SimLoop& loop;
    SimRandom& random;
    const NetworkFaults& faults;
  };
  SimConnection(Surroundings around, HostId first, HostId second);

  // The stream of side 0 or 1; asked for once each.
  std::unique_ptr<Stream> stream(int side);
  // Both ends see the end soon; what is under way is lost.
  void cut();
  // The ends of this host are gone, as when the system closes a dead process's files.
  void kill(HostId host);

  // What the streams forward to.
  void start(int side, Stream::Handlers handlers);
  void write(int side, std::string_view bytes);
  std::size_t unsent_bytes(int side) const { return ends_[side].unsent.size(); }
  void pause_reading(int side, bool paused);
  void finish_writing(int side);
  void close(int side);
  HostId host_of_peer(int side) const { return ends_[1 - side].host; }

 private:
  struct Chunk {
    Instant arrives;
    std::string bytes;
    bool is_end = false;
  };
  struct End {
    HostId host;
    bool is_open = true;
    bool is_paused = false;
    bool has_ended = false;     // on_end was called
    bool is_finishing = false;  // finish_writing was called
    bool sent_end = false;      // nothing can be sent any more
    SendBuffer unsent;
    std::deque<Chunk> arriving;
    std::size_t arriving_bytes = 0;
    std::shared_ptr<const Stream::Handlers> handlers;
    Registration delivery;
    Registration drained;
  };

  void pump(int side);
  void send(int side, Chunk chunk);
  void send_end(int side);
  void maybe_cut_soon();
  void schedule_delivery(int side);
  void deliver(int side);
  std::string take_arrived(End& end);
  void schedule_drained(int side);
  Duration drawn_delay();

  Surroundings around_;
  std::array<End, 2> ends_;
  Registration cut_soon_;
  bool is_cut_ = false;
};

}  // namespace teamster::env::sim
