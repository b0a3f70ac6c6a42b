#include "mcp/server.h"

#include "base/limits.h"

namespace teamster::mcp {
namespace {

using namespace std::chrono_literals;

// The hub answers in less, also what has to wait for the disk.
constexpr Duration kAwakeForAnswer = 500us;
// Who has got its answer often calls again at once.
constexpr Duration kAwakeForCall = 25us;

}  // namespace

Server::Server(const env::World& world, std::unique_ptr<env::Stream> stream, Tools& tools,
               std::function<void()> on_finished)
    : world_(world),
      on_finished_(std::move(on_finished)),
      stream_(std::move(stream)),
      protocol_(tools, [this] { flush_soon(); }),
      later_(world.loop) {}

void Server::start() {
  stream_->start({.on_bytes = [this](std::string_view bytes) { take(bytes); },
                  .on_end = [this] { input_ended(); },
                  .on_drained =
                      [this] {
                        balance();
                        finish_when_done();
                      }});
}

void Server::take(std::string_view bytes) {
  protocol_.take(bytes);
  if (protocol_.calls_in_flight() == 1) world_.loop.stay_awake(kAwakeForAnswer);
  balance();
  watch_progress();
}

// What one turn of the loop answers goes out in one write.
void Server::flush_soon() {
  if (is_flush_posted_) return;
  is_flush_posted_ = true;
  later_.call([this] { flush(); });
}

void Server::flush() {
  is_flush_posted_ = false;
  stream_->write(protocol_.take_output());
  if (protocol_.calls_in_flight() == 0) world_.loop.stay_awake(kAwakeForCall);
  balance();
  finish_when_done();
}

void Server::balance() {
  // Once paused it takes a while, so that reading does not go on and off with each answer.
  const std::size_t share = is_paused_ ? 2 : 1;
  const bool is_full = stream_->unsent_bytes() > limits::kMcpUnsentBytesMax / share ||
                       protocol_.calls_in_flight() > limits::kMcpCallsInFlightMax / share;
  if (is_full == is_paused_ || has_input_ended_) return;
  is_paused_ = is_full;
  stream_->pause_reading(is_paused_);
}

void Server::watch_progress() {
  if (progress_ || !protocol_.has_progress_to_tell()) return;
  progress_ = world_.loop.after(limits::kMcpProgressInterval, [this] {
    progress_.reset();
    protocol_.tell_progress();
    watch_progress();
  });
}

void Server::input_ended() {
  if (has_input_ended_) return;
  has_input_ended_ = true;
  drain_ = world_.loop.after(limits::kMcpDrainTime, [this] { finish(); });
  finish_when_done();
}

void Server::finish_when_done() {
  if (!has_input_ended_ || protocol_.calls_in_flight() > 0 || is_flush_posted_ || stream_->unsent_bytes() > 0) return;
  finish();
}

void Server::finish() {
  if (has_finished_) return;
  has_finished_ = true;
  protocol_.end();
  stream_->write(protocol_.take_output());
  on_finished_();
}

}  // namespace teamster::mcp
