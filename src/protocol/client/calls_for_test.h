// CallsTest: an operator at a simulated hub, for tests of typed calls against the rules that answer them. The base of
// their fixtures.
#pragma once

#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "protocol/client/call.h"
#include "protocol/client/client.h"
#include "support/simulated_hubs.h"

namespace teamster::hub {

class CallsTest : public testing::Test {
 protected:
  template <class Call>
  Result<typename Call::Answer> try_call(Call call, CallOptions options = {}) {
    return ask_and_wait(client_, std::move(call), std::move(options));
  }
  template <class Call>
  typename Call::Answer call(Call given, CallOptions options = {}) {
    auto answer = try_call(std::move(given), std::move(options));
    EXPECT_TRUE(answer) << Call::kOperation << ": " << answer.error().text();
    return answer ? *std::move(answer) : typename Call::Answer{};
  }

  env::sim::World world_{5};
  SimulatedHubs hubs_{world_};
  env::sim::Host& host_ = world_.start("operator");
  Client client_{host_.view(), hubs_.home(), Access::operator_of_home()};
};

}  // namespace teamster::hub
