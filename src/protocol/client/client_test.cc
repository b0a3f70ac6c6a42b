#include "protocol/client/client.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/simulated_hubs.h"

namespace teamster::hub {
namespace {

class ClientTest : public testing::Test {
 protected:
  Json call(const std::string& op, Json args) {
    auto answer = client_.call_and_wait({.op = op, .args = std::move(args)});
    EXPECT_TRUE(answer) << op;
    return answer ? *answer : Json();
  }
  Result<std::string> call_for_text(const std::string& op, Json args) {
    std::optional<Result<std::string>> result;
    client_.call_for_text({.op = op, .args = std::move(args)}, [&](Result<std::string> answer) { result = answer; });
    EXPECT_FALSE(result) << "never from inside the call";
    world_.run_until([&] { return result.has_value(); });
    return *result;
  }

  env::sim::World world_{5};
  SimulatedHubs hubs_{world_};
  Client client_{world_.start("operator").view(), hubs_.home(), Access::operator_of_home()};
};

TEST_F(ClientTest, GivesAnswersAsTextWhereAsked) {
  call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  call("task.create", {{"team", "alpha"}, {"subject", "a \"quoted\" }\n subject"}});
  const Json args = {{"team", "alpha"}};
  const auto text = call_for_text("task.list", args);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(*text), call("task.list", args));
}

TEST_F(ClientTest, GivesErrorsToThoseWhoWantText) {
  const auto refused = call_for_text("task.list", {{"team", "none"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::not_found);
  EXPECT_NE(refused.error().what.find("none"), std::string::npos);
  Client member(world_.start("member").view(), hubs_.home(), Access::member("/no/token"));
  std::optional<Result<std::string>> result;
  member.call_for_text({.op = "task.list", .args = {}}, [&](Result<std::string> answer) { result = answer; });
  world_.run_until([&] { return result.has_value(); });
  EXPECT_FALSE(*result);
}

TEST_F(ClientTest, SendsWhatWasHeldBackTogether) {
  call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  int answered = 0;
  client_.hold();
  for (int i = 0; i < 3; ++i)
    client_.call({.op = "task.list", .args = {{"team", "alpha"}}}, [&](const Result<Json>& answer) {
      EXPECT_TRUE(answer);
      ++answered;
    });
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(answered, 0);
  client_.release();
  world_.run_until([&] { return answered == 3; });
  EXPECT_EQ(answered, 3);
}

TEST_F(ClientTest, LosesNothingThatWasHeldBackWhenTheHubDies) {
  call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  int answered = 0;
  client_.hold();
  for (int i = 0; i < 3; ++i)
    client_.call_for_text({.op = "task.create", .args = {{"team", "alpha"}, {"subject", "x"}}},
                          [&](const Result<std::string>& answer) {
                            EXPECT_TRUE(answer);
                            ++answered;
                          });
  hubs_.kill();
  client_.release();
  world_.run_until([&] { return answered == 3; });
  EXPECT_EQ(call("task.list", {{"team", "alpha"}})["tasks"].size(), 3U);
}

TEST_F(ClientTest, EscapesKeysThatAreNoPlainWords) {
  call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  const Request request{
      .op = "task.create", .args = {{"team", "alpha"}, {"subject", "x"}}, .wait = {}, .key = "a \"b\" ü"};
  const auto first = client_.call_and_wait(request);
  const auto again = client_.call_and_wait(request);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again) << "the same key gets the same answer";
}

TEST_F(ClientTest, AnswersItsOwnerWhileThatIsThere) {
  bool is_answered = false;
  const env::Registration call =
      client_.call_owned({.op = "team.create", .args = {{"team", "alpha"}}}, [&](const Result<Json>& answer) {
        EXPECT_TRUE(answer);
        is_answered = true;
      });
  EXPECT_FALSE(is_answered) << "never from inside the call";
  world_.run_until([&] { return is_answered; });
  EXPECT_TRUE(is_answered);
}

TEST_F(ClientTest, WhoHasGoneIsNotAnsweredAndItsWriteIsDone) {
  call("hub.status", {});
  client_.call_owned({.op = "team.create", .args = {{"team", "alpha"}}}, [](const Result<Json>&) { FAIL(); }).reset();
  hubs_.kill();
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(call("team.status", {{"team", "alpha"}})["team"], "alpha");
}

TEST_F(ClientTest, NoHubIsStartedForAWaitThatNobodyWantsAnyMore) {
  call("team.create", {{"team", "alpha"}, {"members", {"builder"}}});
  Request wait{.op = "message.wait", .args = {{"team", "alpha"}, {"member", "builder"}}};
  wait.wait = std::chrono::hours(1);
  env::Registration waiting = client_.call_owned(std::move(wait), [](const Result<Json>&) { FAIL(); });
  world_.run_for(std::chrono::seconds(1));
  waiting.reset();
  hubs_.kill();
  const int started = hubs_.started();
  world_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(hubs_.started(), started);
}

TEST_F(ClientTest, AnOwnerThatAnotherFailureEndsIsNotTold) {
  Client member(world_.start("member").view(), hubs_.home(), Access::member("/no/token"));
  int failures = 0;
  env::Registration second;
  const env::Registration first = member.call_owned({.op = "task.list", .args = {}}, [&](const Result<Json>& answer) {
    EXPECT_FALSE(answer);
    ++failures;
    second.reset();
  });
  second = member.call_owned({.op = "task.list", .args = {}}, [&](const Result<Json>&) { ++failures; });
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(failures, 1);
}

TEST_F(ClientTest, ARegistrationMayOutliveItsClient) {
  env::Registration call;
  {
    Client other(world_.start("other").view(), hubs_.home(), Access::operator_of_home());
    call = other.call_owned({.op = "team.list", .args = {}}, [](const Result<Json>&) { FAIL(); });
  }
  call.reset();
  world_.run_for(std::chrono::seconds(1));
}

TEST_F(ClientTest, ARequestThatIsTooLargeIsNobodysWhenTheClientIsGone) {
  auto other = std::make_optional<Client>(world_.start("other").view(), hubs_.home(), Access::operator_of_home());
  ASSERT_TRUE(other->call_and_wait({.op = "team.list", .args = {}}));
  bool is_answered = false;
  other->call({.op = "team.create", .args = {{"team", std::string(limits::kFrameMaxBytes, 'x')}}},
              [&](const Result<Json>&) { is_answered = true; });
  other.reset();
  world_.run_for(std::chrono::seconds(1));
  EXPECT_FALSE(is_answered);
}

TEST_F(ClientTest, AHubThatCouldNotStartIsTriedAgainByTheNextCall) {
  hubs_.keep_away(true);
  std::optional<Result<Json>> failed;
  client_.call({.op = "team.list", .args = {}}, [&](Result<Json> answer) { failed = std::move(answer); });
  world_.run_for(std::chrono::minutes(1));
  ASSERT_TRUE(failed && !*failed);
  EXPECT_EQ(failed->error().code, Code::unavailable);
  hubs_.keep_away(false);
  call("team.list", {});
}

TEST_F(ClientTest, KeysAreNeverTheSame) { EXPECT_NE(client_.make_key(), client_.make_key()); }

}  // namespace
}  // namespace teamster::hub
