// FdStream: a Stream on a non-blocking descriptor, a connected socket or one end of a
// pipe. Owned by whoever uses the stream; driven by the loop, which must outlive it.
// It may be destroyed inside any of its callbacks. A broken connection is on_end, never
// a signal (real::World ignores SIGPIPE for the pipes).
#pragma once

#include <memory>

#include "env/bond.h"
#include "env/network.h"
#include "env/real/descriptor.h"
#include "env/real/epoll_loop.h"
#include "env/send_buffer.h"

namespace teamster::env::real {

class FdStream : public Stream {
 public:
  FdStream(EpollLoop& loop, Descriptor descriptor);
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  void start(Handlers handlers) override;
  void write(std::string_view bytes) override;
  std::size_t unsent_bytes() const override { return unsent_.size(); }
  void pause_reading(bool paused) override;
  void finish_writing() override;
  std::int64_t peer_pid() const override;

 private:
  void on_ready(std::uint32_t events);
  void read_some();
  void flush();
  void end();
  void break_writing();
  void close_writing();
  void post_drained();
  void update_watch();
  void read_soon();

  EpollLoop& loop_;
  Descriptor descriptor_;
  const bool is_socket_;
  SendBuffer unsent_;
  // Shared so that a handler survives the destruction of the stream it is running for.
  std::shared_ptr<const Handlers> handlers_;
  bool paused_ = false;
  bool ended_ = false;         // on_end was called
  bool finishing_ = false;     // finish_writing was called
  bool write_broken_ = false;  // the peer takes nothing any more
  bool drained_posted_ = false;
  bool kept_back_ = false;  // the peer did not take all of the last write
  std::uint32_t watched_events_ = 0;
  Registration watch_;  // only while there is an event to wait for
  Bond bond_;
};

}  // namespace teamster::env::real
