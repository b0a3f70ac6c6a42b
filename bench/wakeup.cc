#include "bench/wakeup.h"

#include <unistd.h>

#include <atomic>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/batch_server.h"
#include "bench/hub_connection.h"
#include "bench/shared_memory.h"
#include "bench/teamster_subject.h"

namespace teamster::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTeam = "wakeup";
constexpr int kReceiver = 0;
constexpr int kSender = 1;
// Until the receiver certainly waits again.
constexpr useconds_t kPauseUs = 1500;
constexpr Duration kGiveUpAfter = 60s;

using Received = Shared<std::atomic<std::uint64_t>>;
// Sends one message that holds the time; returns when it is acknowledged.
using Send = std::function<Result<void>(std::int64_t now_ns)>;
// Waits for one message and returns the time in it.
using Receive = std::function<Result<std::int64_t>()>;

Operation receiving(Receive receive, Received& received) {
  return [=, &received]() -> Result<std::optional<std::int64_t>> {
    const std::int64_t sent_ns = TRY(receive());
    const std::int64_t latency = monotonic_ns() - sent_ns;
    received[0].fetch_add(1);
    return std::optional(latency);
  };
}

Operation sending(Send send, Received& received) {
  return [=, &received, sent = std::uint64_t{0}]() mutable -> Result<std::optional<std::int64_t>> {
    while (received[0].load() < sent) ::usleep(50);
    ::usleep(kPauseUs);
    TRY_VOID(send(monotonic_ns()));
    ++sent;
    return std::optional<std::int64_t>(0);
  };
}

Result<std::vector<double>> measure(const Prepare& prepare, std::uint64_t messages) {
  const auto measured = TRY(run_workers(2, prepare, {.time = kGiveUpAfter, .operations_per_worker = messages}));
  std::vector<double> latencies;
  for (const std::int64_t ns : measured.numbers[kReceiver]) latencies.push_back(static_cast<double>(ns) / 1000.0);
  return latencies;
}

std::shared_ptr<HubConnection> member_connection(const hub::Home& home, const char* name) {
  return std::make_shared<HubConnection>(home, hub::Access::member(home.token_file(kTeam, name)));
}

Send hub_send(const hub::Home& home) {
  return [connection = member_connection(home, "sender")](std::int64_t now_ns) -> Result<void> {
    TRY_VOID(connection->call("message.send", {{"to", "receiver"}, {"body", std::to_string(now_ns)}}));
    return {};
  };
}

Receive hub_receive(const hub::Home& home) {
  return [connection = member_connection(home, "receiver")]() -> Result<std::int64_t> {
    const Json answer = TRY(connection->call("message.wait", {{"mark", "acted"}}, kGiveUpAfter));
    const Json& messages = answer.at("messages");
    if (messages.size() != 1) return fail(Code::failed, fmt::format("waited for 1 message, got {}", messages.size()));
    return std::stoll(messages[0].at("body").get<std::string>());
  };
}

}  // namespace

Result<std::vector<double>> measure_wakeup(TeamsterSubject& subject, std::uint64_t messages) {
  TRY_VOID(subject.ensure_hub());
  const hub::Home& home = subject.home();
  if (::access(home.token_file(kTeam, "sender").c_str(), R_OK) != 0)
    TRY_VOID(subject.create_team(kTeam, {"sender", "receiver"}));
  Received received(1);
  return measure(
      [&](int worker) -> Result<Operation> {
        if (worker == kSender) return sending(hub_send(home), received);
        return receiving(hub_receive(home), received);
      },
      messages);
}

Result<std::vector<double>> measure_probe(const std::string& socket_path, std::uint64_t messages) {
  Received received(1);
  return measure(
      [&](int worker) -> Result<Operation> {
        auto client = std::make_shared<BatchClient>(TRY(BatchClient::connect(socket_path)));
        if (worker == kSender)
          return sending(
              [client](std::int64_t now_ns) -> Result<void> {
                TRY_VOID(client->send(BatchClient::kWakes + std::to_string(now_ns)));
                TRY_VOID(client->receive());
                return {};
              },
              received);
        return receiving(
            [client]() -> Result<std::int64_t> {
              TRY_VOID(client->send(std::string(1, BatchClient::kWaits)));
              return std::stoll(TRY(client->receive()).substr(1));
            },
            received);
      },
      messages);
}

}  // namespace teamster::bench
