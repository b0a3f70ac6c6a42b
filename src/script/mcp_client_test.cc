#include "script/mcp_client.h"

#include <gtest/gtest.h>

#include "env/real/world.h"

namespace teamster::script {
namespace {

// Servers are shell scripts: they answer what they expect, in order.
constexpr const char* kDiscover =
    R"(read line; echo '{"jsonrpc":"2.0","id":"probe","result":{"supportedVersions":["2026-07-28"]}}'; )";

class McpClientTest : public testing::Test {
 protected:
  std::unique_ptr<McpClient> client(const std::string& script) {
    return std::make_unique<McpClient>(view_, "team", McpServer{"sh", {"-c", script}, {{"NAME", "value"}}},
                                       std::vector<std::string>{"PATH=/usr/bin:/bin"});
  }
  Outcome call(McpClient& client) {
    std::optional<Outcome> outcome;
    client.call("tool", Json::object(), [&](const Outcome& got) { outcome = got; });
    EXPECT_FALSE(outcome) << "not from inside the call";
    EXPECT_TRUE(view_.loop.run_until([&] { return outcome.has_value(); }));
    return outcome.value_or(Outcome());
  }

  env::real::World world_;
  env::World view_ = world_.view();
};

TEST_F(McpClientTest, StartsTheServerForTheFirstCallAndKeepsIt) {
  const auto server = client(std::string(kDiscover) +
                             R"(n=0; while read line; do n=$((n+1));
        echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$NAME $$\"}]}}"; done)");
  const auto first = call(*server);
  EXPECT_FALSE(first.is_error) << first.text;
  EXPECT_TRUE(first.text.starts_with("value ")) << first.text;
  EXPECT_EQ(call(*server).text, first.text) << "the same process";
}

TEST_F(McpClientTest, AServerThatDiesFailsTheCallAndIsStartedAgain) {
  const auto server = client(std::string(kDiscover) + "read line; echo gone >&2; exit 1");
  const auto outcome = call(*server);
  EXPECT_TRUE(outcome.is_error);
  // Its last words come by another pipe than its end, and may be a moment later.
  constexpr const char* kEnded = "MCP server team: it has ended";
  EXPECT_TRUE(outcome.text.starts_with(kEnded)) << outcome.text;
  EXPECT_TRUE(call(*server).text.starts_with(kEnded));
}

TEST_F(McpClientTest, AServerThatCannotStartFailsTheCall) {
  McpClient missing(view_, "team", McpServer{"/no/such/program", {}, {}}, {});
  const auto outcome = call(missing);
  EXPECT_TRUE(outcome.is_error);
  EXPECT_NE(outcome.text.find("/no/such/program"), std::string::npos) << outcome.text;
}

TEST_F(McpClientTest, GarbageFailsTheCall) {
  const auto server = client("echo hello; cat");
  const auto outcome = call(*server);
  EXPECT_TRUE(outcome.is_error);
  EXPECT_NE(outcome.text.find("no MCP message: 'hello'"), std::string::npos) << outcome.text;
}

TEST_F(McpClientTest, OfACallTakenBackNothingIsHeard) {
  const auto server = client(
      std::string(kDiscover) +
      R"(say() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$2\"}]}}"; }
        read call; say 1 first; read call; read cancel; read call; say 2 late; say 3 third; cat)");
  EXPECT_EQ(call(*server).text, "first");
  bool heard = false;
  server->take_back(server->call("tool", Json::object(), [&](const Outcome&) { heard = true; }));
  EXPECT_EQ(call(*server).text, "third");
  EXPECT_FALSE(heard);
}

}  // namespace
}  // namespace teamster::script
