#include "protocol/client/access.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::hub {
namespace {

TEST(Access, TokenNamesItsHolder) {
  const std::string token = make_token("cookie", {TeamId(1), MemberId(23), Epoch(4)});
  const auto holder = check_token("cookie", token);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->team, TeamId(1));
  EXPECT_EQ(holder->member, MemberId(23));
  EXPECT_EQ(holder->epoch, Epoch(4));
}

TEST(Access, ForgedTokensAreRefused) {
  const std::string token = make_token("cookie", {TeamId(1), MemberId(23), Epoch(4)});
  std::string other_epoch = token;
  other_epoch.replace(other_epoch.find(".4."), 3, ".5.");
  std::string other_number = token;
  other_number.insert(other_number.find(".4.") + 1, "0");
  for (const std::string& forged :
       {std::string(), std::string("tmst1"), std::string("tmst1.1.23.4."), std::string("tmst1.1.23"), other_epoch,
        other_number, token + "0", token.substr(0, token.size() - 1),
        make_token("other", {TeamId(1), MemberId(23), Epoch(4)})})
    EXPECT_FALSE(check_token("cookie", forged)) << forged;
}

TEST(Access, CookieIsMadeOnceAndPrivate) {
  env::sim::World world(1);
  auto first = world.start("first").view();
  auto second = world.start("second").view();
  const Home home("/home/user/teamster");
  const auto cookie = ensure_cookie(first.files, first.random, home);
  ASSERT_TRUE(cookie) << cookie.error().text();
  EXPECT_EQ(cookie->size(), 64U);
  EXPECT_EQ(*ensure_cookie(second.files, second.random, home), *cookie);
  EXPECT_EQ((*first.files.status(home.cookie_file()))->mode & 0777U, 0600U);
  EXPECT_EQ((*first.files.status(home.path()))->mode & 0777U, 0700U);
  world.power_cut();
  auto third = world.start("third").view();
  EXPECT_EQ(*ensure_cookie(third.files, third.random, home), *cookie);
}

TEST(Access, EmptySecretIsAnError) {
  env::sim::World world(1);
  auto view = world.start("first").view();
  ASSERT_TRUE(view.files.make_private_directory("/d"));
  ASSERT_TRUE(view.files.write_atomically("/d/token", "\n", 0600));
  EXPECT_FALSE(read_secret_file(view.files, "/d/token", "the token"));
  EXPECT_EQ(read_secret_file(view.files, "/d/none", "the token").error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::hub
