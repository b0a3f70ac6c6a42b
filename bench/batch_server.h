// BatchServer: the limit. A bare epoll server that takes frames, writes those of one turn
// to a preallocated file, syncs once, and answers. No rules, no index, no JSON: nothing
// that serves durable requests over a socket can do less. Runs in its own process.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "bench/child_process.h"
#include "env/real/descriptor.h"

namespace teamster::bench {

class BatchServer {
 public:
  static Result<BatchServer> start(const std::string& directory);
  const std::string& socket_path() const { return socket_path_; }

 private:
  BatchServer(std::string socket_path, ChildProcess process)
      : socket_path_(std::move(socket_path)), process_(std::move(process)) {}

  std::string socket_path_;
  ChildProcess process_;
};

// A client with a blocking socket. The first byte of a payload says what it is.
class BatchClient {
 public:
  static constexpr char kWaits = 'w';   // is answered by the next payload that wakes
  static constexpr char kWakes = 'p';   // is pushed, once durable, to those who wait
  static constexpr char kStores = '{';  // is stored; what all others do

  static Result<BatchClient> connect(const std::string& socket_path);
  Result<void> send(std::string_view payload);
  Result<std::string> receive();

 private:
  explicit BatchClient(env::real::Descriptor socket) : socket_(std::move(socket)) {}
  env::real::Descriptor socket_;
};

}  // namespace teamster::bench
