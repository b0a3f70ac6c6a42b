// Server: an MCP server on one stream: reads it, lets the protocol answer, writes. It stops
// reading while too much is in flight or unsent, so a client that does not read its answers
// waits instead of filling our memory. When the input has ended, calls in flight are answered
// first, at most limits::kMcpDrainTime long. Owned by the command; driven by the loop.
#pragma once

#include <functional>
#include <memory>

#include "env/later.h"
#include "env/loop.h"
#include "env/network.h"
#include "env/world.h"
#include "mcp/protocol.h"
#include "mcp/tools.h"

namespace teamster::mcp {

class Server {
 public:
  // `on_finished` is called once, from the loop, when there is nothing left to do.
  Server(const env::World& world, std::unique_ptr<env::Stream> stream, Tools& tools, std::function<void()> on_finished);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();

 private:
  void take(std::string_view bytes);
  void flush_soon();
  void flush();
  void balance();
  void watch_progress();
  void input_ended();
  void finish_when_done();
  void finish();

  env::World world_;
  std::function<void()> on_finished_;
  std::unique_ptr<env::Stream> stream_;
  Protocol protocol_;
  bool is_flush_posted_ = false;
  bool is_paused_ = false;
  bool has_input_ended_ = false;
  bool has_finished_ = false;
  env::Timer progress_;
  env::Timer drain_;
  env::Later later_;
};

}  // namespace teamster::mcp
