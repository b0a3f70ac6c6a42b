#include "cli/text/run_log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

class RunLogTest : public testing::Test {
 protected:
  // The next record, so many seconds after the first.
  std::string line(int seconds, const std::string& kind, const std::string& body) {
    const std::string at = to_iso8601(WallTime{1'800'000'000'000 + seconds * 1000});
    return log_.line({{"n", ++n_}, {"at", at}, {"kind", kind}, {"body", Json::parse(body)}});
  }

  RunLog log_{Palette(false)};
  int n_ = 0;
};

TEST_F(RunLogTest, SaysStepWhoWhatHowLongAndWhatFollows) {
  EXPECT_EQ(line(0, "run.started", R"({"body":{"args":{"spec":"08"},"then":[
      {"do":"make_team","step":"team","attempt":1,"team":"spec-08","members":[]}]}})"),
            "2027-01-15\n1      08:00:00  run             -           started with spec 08; team spec-08 is made");
  EXPECT_EQ(line(1, "run.team_ready", R"({"step":"team","attempt":1,"team":"spec-08","then":[
      {"do":"turn","step":"build","attempt":1,"member":"builder","role":"builder","prompt":"p"}]})"),
            "2      08:00:01  team.1          -           team spec-08 is ready in 1 s; build.1 → builder");
  EXPECT_EQ(line(91, "step.done", R"({"step":"build","attempt":1,"member":"builder","answer":{"status":"SUCCESS",
      "summary":"it parses"},"then":[{"do":"ask","step":"which","attempt":1,"text":"Which?","to":"kim"}]})"),
            "3      08:01:31  build.1         builder     done in 90 s, SUCCESS: it parses; which.1 asks kim");
  EXPECT_EQ(line(95, "run.told", R"({"what":"answer","body":{"question":"which.1","by":"ida","answer":"left"}})"),
            "4      08:01:35  which.1         ida         says left");
  EXPECT_EQ(line(100, "step.done", R"({"step":"which","attempt":1,"answer":{"answer":"left","by":"ida"}})"),
            "5      08:01:40  which.1         ida         done in 9 s by ida: left");
  EXPECT_EQ(line(101, "run.leased", R"({"lease":2,"why":"its holder is gone","holder":{"pid":77}})"),
            "6      08:01:41  run             -           process 77 drives it: its holder is gone");
  EXPECT_EQ(line(86400, "run.ended", R"({"status":"done","reason":""})"),
            "2027-01-16\n7      08:00:00  run             -           done");
}

TEST_F(RunLogTest, NobodysWordsAreActedOnByATerminal) {
  for (const char* body :
       {R"({"step":"b\u001b[2J","attempt":1,"member":"\u001b[2J","fault":"x","error":"\u001b[2J\nfake"})",
        R"({"then":[{"do":"ask","step":"q","attempt":1,"to":"\u001b[2J"}]})"})
    EXPECT_EQ(line(0, "step.failed", body).find('\x1b'), std::string::npos);
  EXPECT_EQ(line(0, "run.told", R"({"what":"answer","body":{"by":"\u001b","answer":"\u009b"}})").find('\x1b'),
            std::string::npos);
  EXPECT_EQ(line(0, "later.kind\x1b", "{}").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace teamster::cli
