#include "env/sim/sim_connection.h"

#include <algorithm>

#include "base/check.h"
#include "base/limits.h"

namespace teamster::env::sim {
namespace {

class SimStream : public Stream {
 public:
  SimStream(std::shared_ptr<SimConnection> connection, int side) : connection_(std::move(connection)), side_(side) {}
  ~SimStream() override { connection_->close(side_); }
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  void start(Handlers handlers) override { connection_->start(side_, std::move(handlers)); }
  void write(std::string_view bytes) override { connection_->write(side_, bytes); }
  std::size_t unsent_bytes() const override { return connection_->unsent_bytes(side_); }
  void pause_reading(bool paused) override { connection_->pause_reading(side_, paused); }
  void finish_writing() override { connection_->finish_writing(side_); }
  std::int64_t peer_pid() const override { return pid_of(connection_->host_of_peer(side_)); }

 private:
  std::shared_ptr<SimConnection> connection_;
  const int side_;
};

}  // namespace

SimConnection::SimConnection(Surroundings around, HostId first, HostId second) : around_(around) {
  ends_[0].host = first;
  ends_[1].host = second;
}

std::unique_ptr<Stream> SimConnection::stream(int side) {
  return std::make_unique<SimStream>(shared_from_this(), side);
}

void SimConnection::start(int side, Stream::Handlers handlers) {
  End& end = ends_[side];
  CHECK(!end.handlers);
  if (!end.is_open) return;
  end.handlers = std::make_shared<const Stream::Handlers>(std::move(handlers));
  schedule_delivery(side);
}

void SimConnection::write(int side, std::string_view bytes) {
  End& end = ends_[side];
  CHECK(!end.is_finishing);
  if (!end.is_open || end.sent_end) return;
  end.unsent.append(bytes);
  pump(side);
}

void SimConnection::pause_reading(int side, bool paused) {
  ends_[side].is_paused = paused;
  if (paused)
    ends_[side].delivery.reset();
  else
    schedule_delivery(side);
}

void SimConnection::finish_writing(int side) {
  End& end = ends_[side];
  if (std::exchange(end.is_finishing, true) || !end.is_open) return;
  pump(side);
}

// The stream is destroyed: what the system took is still delivered, the rest is not.
void SimConnection::close(int side) {
  End& end = ends_[side];
  if (!std::exchange(end.is_open, false)) return;
  end.unsent.clear();
  end.arriving.clear();
  end.delivery.reset();
  end.drained.reset();
  send_end(side);
  // The other side writes into nothing from now on.
  End& other = ends_[1 - side];
  other.sent_end = true;
  other.unsent.clear();
  // Last, because destroying what a handler captured may come back here.
  const auto handlers = std::move(end.handlers);
}

void SimConnection::kill(HostId host) {
  for (int side = 0; side < 2; ++side) {
    if (ends_[side].host != host || !ends_[side].is_open) continue;
    auto& under_way = ends_[1 - side].arriving;
    // Where the tail of what it sent stays is drawn too: some of it may not have left.
    if (!under_way.empty() && around_.random.chance(around_.faults.lose_tail_of_killed)) {
      under_way.resize(around_.random.below(under_way.size() + 1));
      ends_[side].sent_end = false;
    }
    close(side);
  }
}

void SimConnection::cut() {
  if (std::exchange(is_cut_, true)) return;
  cut_soon_.reset();
  for (int side = 0; side < 2; ++side) {
    ends_[side].arriving.clear();
    ends_[side].arriving_bytes = 0;
    ends_[side].unsent.clear();
    ends_[side].delivery.reset();
    ends_[side].sent_end = false;
  }
  send_end(0);
  send_end(1);
}

// Hands bytes to the "system" for as long as it takes them.
void SimConnection::pump(int side) {
  End& from = ends_[side];
  const End& to = ends_[1 - side];
  const std::size_t capacity = std::max<std::size_t>(around_.faults.buffer_bytes, 1);
  while (!from.unsent.empty() && to.arriving_bytes < capacity) {
    std::size_t size = std::min(from.unsent.size(), capacity - to.arriving_bytes);
    if (around_.random.chance(around_.faults.split_write)) size = 1 + around_.random.below(size);
    Chunk chunk{.arrives = {}, .bytes = std::string(from.unsent.front().substr(0, size))};
    from.unsent.take(size);
    send(side, std::move(chunk));
    maybe_cut_soon();
  }
  if (!from.unsent.empty()) return;
  if (from.is_finishing) send_end(side);
  schedule_drained(side);
}

void SimConnection::send(int side, Chunk chunk) {
  End& to = ends_[1 - side];
  if (!to.is_open) return;
  chunk.arrives = around_.loop.now() + drawn_delay();
  // Never before what was sent earlier.
  if (!to.arriving.empty()) chunk.arrives = std::max(chunk.arrives, to.arriving.back().arrives);
  to.arriving_bytes += chunk.bytes.size();
  to.arriving.push_back(std::move(chunk));
  schedule_delivery(1 - side);
}

void SimConnection::send_end(int side) {
  if (std::exchange(ends_[side].sent_end, true)) return;
  send(side, Chunk{.arrives = {}, .bytes = {}, .is_end = true});
}

void SimConnection::maybe_cut_soon() {
  if (cut_soon_ || is_cut_ || !around_.random.chance(around_.faults.cut_connection)) return;
  auto cut_it = [self = weak_from_this()] {
    if (const auto connection = self.lock()) connection->cut();
  };
  cut_soon_ = around_.loop.schedule(kNobody, SimLoop::Kind::input, drawn_delay(), std::move(cut_it));
}

// At most one event per direction is waiting, which is what keeps the bytes in order.
void SimConnection::schedule_delivery(int side) {
  End& end = ends_[side];
  if (end.delivery || end.arriving.empty() || !end.handlers || !end.is_open || end.is_paused || end.has_ended) return;
  const Duration delay = end.arriving.front().arrives - around_.loop.now();
  end.delivery = around_.loop.schedule(end.host, SimLoop::Kind::input, delay,
                                       [self = shared_from_this(), side] { self->deliver(side); });
}

void SimConnection::deliver(int side) {
  End& end = ends_[side];
  end.delivery.reset();
  const auto handlers = end.handlers;
  if (end.arriving.front().is_end) {
    end.arriving.pop_front();
    end.has_ended = true;
    if (handlers->on_end) handlers->on_end();
    return;
  }
  const std::string bytes = take_arrived(end);
  if (handlers->on_bytes) handlers->on_bytes(bytes);
  if (!end.is_open) return;
  pump(1 - side);
  schedule_delivery(side);
}

// One read may return what several writes sent, or less than it could.
std::string SimConnection::take_arrived(End& end) {
  std::string bytes;
  const Instant now = around_.loop.now();
  while (!end.arriving.empty() && !end.arriving.front().is_end && end.arriving.front().arrives <= now) {
    const std::string& next = end.arriving.front().bytes;
    const bool fits = bytes.size() + next.size() <= limits::kInputBytesPerTurnMax;
    if (!bytes.empty() && (!fits || around_.random.chance(0.3))) break;
    bytes += next;
    end.arriving_bytes -= next.size();
    end.arriving.pop_front();
  }
  return bytes;
}

void SimConnection::schedule_drained(int side) {
  End& end = ends_[side];
  if (end.drained || !end.is_open || end.has_ended || !end.handlers || !end.handlers->on_drained) return;
  auto tell = [self = shared_from_this(), side] {
    End& drained = self->ends_[side];
    drained.drained.reset();
    const auto handlers = drained.handlers;
    if (drained.unsent.empty() && !drained.has_ended) handlers->on_drained();
  };
  end.drained = around_.loop.schedule(end.host, SimLoop::Kind::input, Duration::zero(), std::move(tell));
}

Duration SimConnection::drawn_delay() {
  return Duration(around_.random.below(static_cast<std::uint64_t>(around_.faults.delay_max.count()) + 1));
}

}  // namespace teamster::env::sim
