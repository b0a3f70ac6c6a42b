#include "bench/mcp_peer.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/workers.h"

namespace teamster::bench {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
    R"("clientInfo":{"name":"bench","version":"1"}}})"
    "\n";
constexpr const char* kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                                     "\n";

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Of one thread, in nanoseconds.
std::uint64_t time_on_cpu(const std::string& task) {
  std::ifstream file(task + "/schedstat");
  std::uint64_t nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds;
}

}  // namespace

McpPeer::McpPeer(McpPeer&& other) noexcept
    : process_(std::move(other.process_)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      last_id_(other.last_id_),
      start_ms_(other.start_ms_) {}

McpPeer::~McpPeer() {
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0) ::close(out_);
}

Result<McpPeer> McpPeer::start(const Options& options) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return fail(Code::unavailable, "no more pipes");
  const auto arguments = pointers(options.arguments);
  const auto environment = pointers(options.environment);
  const std::int64_t before = monotonic_ns();
  auto process = TRY(ChildProcess::fork([&] {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execve(arguments[0], arguments.data(), environment.data());
  }));
  ::close(in[0]);
  ::close(out[1]);
  McpPeer peer(std::move(process), in[1], out[0]);
  TRY_VOID(peer.write(kInitialize));
  TRY_VOID(peer.read_answers());
  peer.start_ms_ = static_cast<double>(monotonic_ns() - before) / 1e6;
  TRY_VOID(peer.write(kInitialized));
  return peer;
}

Result<void> McpPeer::write(const std::string& bytes) const {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::write(in_, bytes.data() + at, bytes.size() - at);
    if (count <= 0) return fail(Code::failed, "the MCP server takes no more input");
    at += static_cast<std::size_t>(count);
  }
  return {};
}

Result<int> McpPeer::read_answers() {
  std::array<char, 256 * 1024> buffer;
  int answers = 0;
  while (answers == 0) {
    const ssize_t count = ::read(out_, buffer.data(), buffer.size());
    if (count <= 0) return fail(Code::failed, "the MCP server has ended");
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.find(R"("isError":true)") != bytes.npos || bytes.find(R"("error":{)") != bytes.npos)
      return fail(Code::failed, fmt::format("the MCP server answered with an error: {}", bytes.substr(0, 300)));
    answers += static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n'));
  }
  return answers;
}

std::string McpPeer::request(const std::string& call) {
  return fmt::format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{}}}\n", ++last_id_, call);
}

Result<McpRun> McpPeer::call_serially(const std::string& call, Duration time) {
  McpRun run;
  const std::int64_t start = monotonic_ns();
  std::int64_t before = start;
  while (before - start < time.count()) {
    TRY_VOID(write(request(call)));
    TRY_VOID(read_answers());
    const std::int64_t after = monotonic_ns();
    run.latencies_us.push_back(static_cast<double>(after - before) / 1000.0);
    before = after;
    ++run.calls;
  }
  run.seconds = static_cast<double>(before - start) / 1e9;
  return run;
}

Result<McpRun> McpPeer::call_in_flight(const std::string& call, int in_flight, Duration time) {
  McpRun run;
  const std::int64_t start = monotonic_ns();
  int open = 0;
  int wanted = in_flight;
  while (true) {
    std::string requests;
    for (; open < wanted; ++open) requests += request(call);
    TRY_VOID(write(requests));
    const int answers = TRY(read_answers());
    open -= answers;
    run.calls += static_cast<std::uint64_t>(answers);
    const std::int64_t now = monotonic_ns();
    if (now - start >= time.count()) wanted = 0;
    if (wanted > 0 || open > 0) continue;
    run.seconds = static_cast<double>(now - start) / 1e9;
    return run;
  }
}

double McpPeer::cpu_us() const {
  const std::string tasks = fmt::format("/proc/{}/task", process_.pid());
  std::uint64_t nanoseconds = 0;
  DIR* directory = ::opendir(tasks.c_str());
  if (directory == nullptr) return 0;
  while (const dirent* entry = ::readdir(directory))
    if (entry->d_name[0] != '.') nanoseconds += time_on_cpu(tasks + "/" + entry->d_name);
  ::closedir(directory);
  return static_cast<double>(nanoseconds) / 1000.0;
}

}  // namespace teamster::bench
