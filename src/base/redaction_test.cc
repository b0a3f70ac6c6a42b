#include "base/redaction.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

const std::string kPlanted = "planted-Secret!42";

TEST(Redaction, TakesOutWhatIsKnownInItsEncodings) {
  const Redaction redaction({kPlanted, "short"});
  EXPECT_EQ(redaction.text("it is " + kPlanted + "."), "it is [redacted].");
  EXPECT_EQ(redaction.text("a short one"), "a short one");
  for (const char* coded : {"24!terceS-detnalp", "706c616e7465642d536563726574213432",
                            "cGxhbnRlZC1TZWNyZXQhNDI=", "eHBsYW50ZWQtU2VjcmV0ITQy", "planted-Secret%2142"})
    EXPECT_TRUE(redaction.finds_any(coded)) << coded;
}

TEST(Redaction, KnowsCredentialsByTheirForm) {
  const Redaction redaction;
  // In pieces, so that nobody takes it for one.
  const std::string key = std::string("sk-") + "ant-" + std::string(30, 'x');
  EXPECT_EQ(redaction.text("key " + key + " ok"), "key [redacted] ok");
  EXPECT_EQ(redaction.text("GH=ghp_0123456789abcdefghijABCDEFGHIJ012345"), "GH=[redacted]");
  EXPECT_EQ(redaction.text("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nend"),
            "[redacted]\nend");
  EXPECT_EQ(redaction.text("the task-ant, sk-1, npm_config, -----BEGIN CERTIFICATE-----"),
            "the task-ant, sk-1, npm_config, -----BEGIN CERTIFICATE-----");
}

TEST(Redaction, LooksIntoAllTextsOfJson) {
  const Redaction redaction({kPlanted});
  EXPECT_EQ(redaction.json({{"a", {kPlanted, 1}}, {"b", nullptr}}), Json({{"a", {"[redacted]", 1}}, {"b", nullptr}}));
}

TEST(Redaction, KnowsNamesOfSecrets) {
  for (const char* name : {"API_KEY", "db_password", "GITHUB_TOKEN", "Client-Secret", "AWS_SECRET_ACCESS_KEY"})
    EXPECT_TRUE(names_secret(name)) << name;
  for (const char* name : {"PATH", "KEYBOARD", "EDITOR", "MONKEY"}) EXPECT_FALSE(names_secret(name)) << name;
}

}  // namespace
}  // namespace teamster
