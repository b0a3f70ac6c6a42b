// McpPeer: an MCP server as a child of the benchmark, driven over its pipes with as little
// work on our side as possible: requests are made once, answers are counted by their ends.
// The same for our server and for the one it is compared with. Dies with its owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "bench/child_process.h"

namespace teamster::bench {

struct McpRun {
  std::uint64_t calls = 0;
  double seconds = 0;
  std::vector<double> latencies_us;  // of one call after another only
  double per_second() const { return static_cast<double>(calls) / seconds; }
};

class McpPeer {
 public:
  struct Options {
    std::vector<std::string> arguments;  // the program's path first
    std::vector<std::string> environment;
  };
  // Returns when it has answered `initialize`.
  static Result<McpPeer> start(const Options& options);
  McpPeer(McpPeer&& other) noexcept;
  McpPeer& operator=(McpPeer&&) = delete;
  ~McpPeer();

  // `call` is what stands in the request's params: {"name":…,"arguments":…}.
  Result<McpRun> call_serially(const std::string& call, Duration time);
  Result<McpRun> call_in_flight(const std::string& call, int in_flight, Duration time);

  // From its start to its answer to `initialize`.
  double start_ms() const { return start_ms_; }
  // Of all its threads, since its start.
  double cpu_us() const;
  Memory memory() const { return process_.memory(); }

 private:
  McpPeer(ChildProcess process, int in, int out) : process_(std::move(process)), in_(in), out_(out) {}
  Result<void> write(const std::string& bytes) const;
  // Reads until at least one answer is complete; how many are.
  Result<int> read_answers();
  std::string request(const std::string& call);

  ChildProcess process_;
  int in_ = -1;
  int out_ = -1;
  std::uint64_t last_id_ = 0;
  double start_ms_ = 0;
};

}  // namespace teamster::bench
