#include "project/known_secrets.h"

#include <algorithm>

#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

using Secrets = std::vector<std::string>;

TEST(SecretsInTest, AreWhatNamesSay) {
  EXPECT_EQ(secrets_in("# a\nexport API_KEY=\"abc def\"\nPORT=8080\nDB_PASSWORD=x1y2\nKEY_FILE=/etc/x\n"),
            (Secrets{"abc def", "x1y2"}));
  EXPECT_EQ(secrets_in("machine h login l password hunter22\nhttps://me:tok3n@host/x\n"),
            (Secrets{"hunter22", "tok3n"}));
  EXPECT_EQ(secrets_in(R"({"auths":{"h":{"auth":"YWJj"}},"access_token":"t0k","count":3})"), (Secrets{"t0k", "YWJj"}));
}

TEST_F(ProjectTest, SecretsAreKnownFromEnvironmentAndFiles) {
  write(".env", "DEPLOY_TOKEN=of-the-project\n");
  processes_.variables.emplace_back("GH_TOKEN=of-the-engine");
  processes_.variables.emplace_back("TOKEN_COUNT=12345678");
  auto found = known_secrets(view_, path());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Secrets{"of-the-engine", "of-the-project"}));
}

}  // namespace
}  // namespace teamster::engine
