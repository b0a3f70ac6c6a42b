#include "cli/framework/completion.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

class CompletionTest : public testing::Test {
 protected:
  std::string offered(const std::vector<std::string>& words) const {
    const Completion completion = complete_words(registry_, words, [](ValueType type, const std::string& team) {
      if (type == ValueType::run) return std::vector<Offer>{{"small-20261116-1a2b", "running"}};
      if (type == ValueType::workflow) return std::vector<Offer>{{"implement-spec"}, {"ralph"}};
      if (type == ValueType::team || type == ValueType::team_or_run) return std::vector<Offer>{{"demo"}};
      if (type == ValueType::member && team == "demo") return std::vector<Offer>{{"builder"}, {"tester"}};
      if (type == ValueType::question) return std::vector<Offer>{{"which.1"}};
      if (type == ValueType::gate) return std::vector<Offer>{{"plan.1"}};
      return std::vector<Offer>{};
    });
    if (completion.takes_file) return "a file";
    std::string text;
    for (const auto& offer : completion.offers) text += (text.empty() ? "" : " ") + offer.word;
    return text;
  }

  Registry registry_ = all_commands();
};

TEST_F(CompletionTest, OffersCommandsVerbsAndFlags) {
  EXPECT_EQ(offered({"mess"}), "message");
  EXPECT_EQ(offered({"team", "cr"}), "create");
  EXPECT_EQ(offered({"team", "create", "x", "--own"}), "--owner-pid");
  EXPECT_EQ(offered({"run", "--a"}), "--all --auth --auth-file") << "and not --as, which is hidden";
  EXPECT_EQ(offered({"--json", "mess"}), "message");
  EXPECT_EQ(offered({"nonsense", ""}), "");
  EXPECT_NE(offered({}).find("doctor"), std::string::npos);
  EXPECT_EQ(offered({"doctor", ""}).find("--deep"), 0U) << "where nothing else is left";
  EXPECT_EQ(offered({"keep"}), "") << "what the program calls itself";
}

TEST_F(CompletionTest, OffersValues) {
  EXPECT_EQ(offered({"message", "send", "--priority", "i"}), "interrupt");
  EXPECT_EQ(offered({"message", "send", "--priority=i"}), "--priority=interrupt");
  EXPECT_EQ(offered({"message", "send", "--priority", "=", "i"}), "--priority=interrupt") << "as bash has it";
  EXPECT_EQ(offered({"message", "send", "--priority", "="}), "--priority=normal --priority=interrupt");
  EXPECT_EQ(offered({"completion", "f"}), "fish");
  EXPECT_EQ(offered({"run", "--stakeholders", ""}), "a file");
  EXPECT_EQ(offered({"task", "create", "--team", "demo", "a sub"}), "") << "nobody knows what comes";
}

TEST_F(CompletionTest, OffersNamesThatTheHubKnows) {
  EXPECT_EQ(offered({"status", ""}), "small-20261116-1a2b");
  EXPECT_EQ(offered({"resume", "sm"}), "small-20261116-1a2b");
  EXPECT_EQ(offered({"run", "imp"}), "implement-spec");
  EXPECT_EQ(offered({"workflow", "show", "r"}), "ralph");
  EXPECT_EQ(offered({"run", "./my"}), "a file") << "its directory";
  EXPECT_EQ(offered({"workflow", "validate", "ralph", "imp"}), "implement-spec") << "as many as one likes";
  EXPECT_EQ(offered({"team", "delete", ""}), "demo");
  EXPECT_EQ(offered({"team", "create", ""}), "") << "its name is not taken";
  EXPECT_EQ(offered({"log", ""}), "demo");
  EXPECT_EQ(offered({"task", "claim", "--team", "demo", "--member", "b"}), "builder");
  EXPECT_EQ(offered({"task", "claim", "--team=demo", "--member", "b"}), "builder");
  EXPECT_EQ(offered({"task", "claim", "--member", "b"}), "") << "of which team?";
  EXPECT_EQ(offered({"answer", ""}), "which.1");
  EXPECT_EQ(offered({"answer", "which.1", ""}), "") << "that is for the person to say";
  EXPECT_EQ(offered({"approve", ""}), "plan.1");
}

}  // namespace
}  // namespace teamster::cli
