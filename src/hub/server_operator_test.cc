// Who is taken for the operator: not a process of an agent, though it shows the cookie.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/lineage.h"
#include "protocol/client/access.h"
#include "support/simulated_hubs.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kKeeper = 40;

class OperatorTest : public testing::Test {
 protected:
  OperatorTest() {
    world_.processes().tell(kKeeper, {.parent = 0, .start_ticks = 0, .name = env::kKeeperName},
                            {"teamster", "keeper", "--home", hubs_.home().path()});
  }
  // A process below the keeper.
  env::sim::Host& agent() {
    env::sim::Host& host = world_.start("agent");
    world_.processes().tell(host.pid(), {.parent = kKeeper, .start_ticks = 0, .name = "sh"});
    return host;
  }
  static Result<Json> call(env::sim::Host& host, const Home& home, const Access& access, const std::string& op,
                           Json args = Json::object()) {
    Client client(host.view(), home, access);
    return client.call_and_wait({op, std::move(args), {}, {}});
  }
  Result<Json> as_operator(env::sim::Host& host, const std::string& op, Json args = Json::object()) {
    return call(host, hubs_.home(), Access::operator_of_home(), op, std::move(args));
  }

  env::sim::World world_{11};
  SimulatedHubs hubs_{world_};
};

TEST_F(OperatorTest, AProcessOfAnAgentIsRefusedAndNothingIsDone) {
  env::sim::Host& human = world_.start("operator");
  ASSERT_TRUE(as_operator(human, "team.create", {{"team", "alpha"}, {"members", {"builder"}}}));
  const auto refused = as_operator(agent(), "team.delete", {{"team", "alpha"}, {"force", true}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_EQ(refused.error().what, "a process of an agent is not the operator, whatever it shows");
  EXPECT_NE(refused.error().next.find("token"), std::string::npos);
  EXPECT_EQ(as_operator(human, "team.list")->at("teams").size(), 1U);
}

TEST_F(OperatorTest, AMemberOfTheSameAgentIsServed) {
  env::sim::Host& human = world_.start("operator");
  const auto created = as_operator(human, "team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  const std::string file = (*created)["members"][0]["token_file"];
  EXPECT_TRUE(call(agent(), hubs_.home(), Access::member(file), "message.send", {{"to", "builder"}, {"body", "me"}}));
}

TEST_F(OperatorTest, AProcessOfAnAgentStartsNoHub) {
  const auto refused = as_operator(agent(), "team.list");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_NE(refused.error().what.find("does not start the hub of " + hubs_.home().path()), std::string::npos);
  EXPECT_EQ(hubs_.started(), 0);

  Log log;
  env::sim::Host& host = agent();
  const auto served = Server::start(host.view(), hubs_.home(), {.vfs = host.disk_vfs()}, log, [] {});
  ASSERT_FALSE(served) << "nor is it one itself";
  EXPECT_EQ(served.error().code, Code::refused);
}

TEST_F(OperatorTest, TheAgentOfAnotherHomeIsTheOperatorHere) {
  world_.processes().tell(kKeeper, {.parent = 0, .start_ticks = 0, .name = env::kKeeperName},
                          {"teamster", "keeper", "--home", "/home/user/other"});
  EXPECT_TRUE(as_operator(agent(), "team.list"));
}

// A connection that its maker handed on: who sends on it cannot be known, and who made it is gone.
TEST_F(OperatorTest, AConnectionWhoseMakerIsGoneIsRefused) {
  env::sim::Host& human = world_.start("operator");
  ASSERT_TRUE(as_operator(human, "team.list"));
  const std::string cookie = *read_secret_file(human.view().files, hubs_.home().cookie_file(), "cookie");
  for (const bool is_reused : {false, true}) {
    env::sim::Host& maker = world_.start("maker");
    auto stream = *maker.view().network.connect(hubs_.home().socket());
    FrameDecoder decoder;
    Json answer;
    stream->start({.on_bytes =
                       [&](std::string_view bytes) {
                         decoder.add(bytes);
                         if (auto next = decoder.next(); next && *next) answer = *parse_json(**next);
                       },
                   .on_end = [] {},
                   .on_drained = nullptr});
    world_.run_for(50ms);  // it is accepted
    world_.processes().kill(maker.id());
    if (is_reused) world_.processes().add(maker.id(), 1'000'000);
    std::string frame;
    append_frame(frame, Json{{"hello", kProtocolVersion}, {"cookie", cookie}}.dump());
    stream->write(frame);
    ASSERT_TRUE(world_.run_until([&] { return !answer.is_null(); }));
    ASSERT_TRUE(answer.contains("error")) << answer;
    EXPECT_EQ(answer["error"]["code"], "refused");
    EXPECT_NE(answer["error"]["what"].get<std::string>().find("has ended"), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace teamster::hub
