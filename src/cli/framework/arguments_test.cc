#include "cli/framework/arguments.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

Command sample() {
  return {.path = "task try",
          .topic = "Tasks",
          .summary = "Try",
          .description = "Tries.",
          .hub = HubUse::writes,
          .positionals = {{.name = "SUBJECT"},
                          {.name = "ID", .type = ValueType::id, .required = false, .repeatable = true}},
          .flags = {team_flag(),
                    {.name = "to", .value = "MEMBER", .type = ValueType::member, .required = Required::yes},
                    {.name = "force"},
                    {.name = "blocked-by", .value = "ID", .type = ValueType::id, .repeatable = true},
                    {.name = "wait", .value = "TIME", .type = ValueType::duration, .fallback = "60s"},
                    {.name = "mark", .value = "M", .choices = {"seen", "acted"}},
                    {.name = "after", .value = "N", .type = ValueType::count},
                    {.name = "metadata", .value = "JSON", .type = ValueType::json_object},
                    {.name = "summary", .value = "TEXT"}}};
}

class ArgumentsTest : public testing::Test {
 protected:
  Result<Arguments> parse(std::vector<std::string> words, bool has_token = false) {
    return Arguments::parse(command_, words, has_token);
  }
  Arguments good(std::vector<std::string> words) {
    words.insert(words.begin(), {"--team", "demo", "--to=lead"});
    auto arguments = parse(words);
    EXPECT_TRUE(arguments.has_value()) << arguments.error().text();
    return *std::move(arguments);
  }
  // The error of words added to a complete command line.
  Error bad(std::vector<std::string> words) {
    words.insert(words.begin(), {"subject", "--team", "demo", "--to=lead"});
    return bad_alone(std::move(words));
  }
  Error bad_alone(std::vector<std::string> words, bool has_token = false) {
    const auto arguments = parse(std::move(words), has_token);
    if (arguments) return {Code::internal, "it was accepted", ""};
    EXPECT_EQ(arguments.error().code, Code::invalid);
    EXPECT_NE(arguments.error().next.find("See `teamster task try --help`"), std::string::npos);
    return arguments.error();
  }

  Command command_ = sample();
};

bool mentions(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(ArgumentsTest, FlagsStandAnywhereInBothForms) {
  const auto arguments = good({"--blocked-by", "1", "subject", "7", "--force", "8", "--blocked-by=2"});
  EXPECT_EQ(arguments.value("SUBJECT"), "subject");
  EXPECT_EQ(arguments.value("team"), "demo");
  EXPECT_EQ(arguments.value("to"), "lead");
  EXPECT_TRUE(arguments.has("force"));
  EXPECT_EQ(arguments.numbers("ID"), (std::vector<std::int64_t>{7, 8}));
  EXPECT_EQ(arguments.numbers("blocked-by"), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(ArgumentsTest, DoubleDashEndsFlags) {
  EXPECT_EQ(good({"--", "--force"}).value("SUBJECT"), "--force");
  EXPECT_EQ(good({"--", "--"}).value("SUBJECT"), "--");
}

TEST_F(ArgumentsTest, LoneDashAndEmptyTextArePositionals) {
  EXPECT_EQ(good({"-"}).value("SUBJECT"), "-");
  const auto arguments = good({""});
  EXPECT_TRUE(arguments.has("SUBJECT"));
  EXPECT_EQ(arguments.value("SUBJECT"), "");
}

TEST_F(ArgumentsTest, AValueMayBeginWithADashUnlessItIsAKnownFlag) {
  EXPECT_EQ(good({"x", "--summary", "-5 degrees"}).value("summary"), "-5 degrees");
  EXPECT_EQ(good({"x", "--summary=--force"}).value("summary"), "--force");
  EXPECT_EQ(good({"x", "--summary=a=b"}).value("summary"), "a=b");
  EXPECT_TRUE(mentions(bad({"--summary", "--force"}).what, "--summary needs a value"));
}

TEST_F(ArgumentsTest, Defaults) {
  const auto arguments = good({"x"});
  EXPECT_FALSE(arguments.has("wait"));
  EXPECT_EQ(arguments.duration("wait"), std::chrono::seconds(60));
  EXPECT_EQ(arguments.value("summary"), "");
}

TEST_F(ArgumentsTest, UnknownFlag) {
  const Error close = bad({"--forse"});
  EXPECT_TRUE(mentions(close.what, "unknown flag '--forse'"));
  EXPECT_TRUE(mentions(close.next, "Did you mean --force?"));
  EXPECT_TRUE(mentions(bad({"-x"}).next, "Put -- before an argument"));
  EXPECT_TRUE(mentions(bad({"--zzzzzz=1"}).what, "unknown flag '--zzzzzz=1'"));
}

TEST_F(ArgumentsTest, MissingValue) {
  EXPECT_EQ(bad({"--summary"}).what, "--summary needs a value, TEXT");
  EXPECT_EQ(bad({"--summary", "--", "x"}).what, "--summary needs a value, TEXT");
}

TEST_F(ArgumentsTest, SwitchWithValue) { EXPECT_EQ(bad({"--force=yes"}).what, "--force takes no value"); }

TEST_F(ArgumentsTest, GivenTwice) {
  EXPECT_EQ(bad({"--to", "x"}).what, "--to is given twice");
  EXPECT_EQ(bad({"--force", "--force"}).what, "--force is given twice");
}

TEST_F(ArgumentsTest, MissingRequired) {
  EXPECT_EQ(bad_alone({"--team", "demo", "--to", "lead"}).what, "SUBJECT is missing");
  EXPECT_EQ(bad_alone({"x", "--to", "lead"}).what, "--team TEAM is missing");
  EXPECT_EQ(bad_alone({"x", "--team", "demo"}).what, "--to MEMBER is missing");
}

TEST_F(ArgumentsTest, AMembersTokenImpliesItsTeamButNotTheRest) {
  EXPECT_TRUE(parse({"x", "--to", "lead"}, true).has_value());
  EXPECT_TRUE(parse({"x", "--to", "lead", "--token-file", "/t"}).has_value());
  EXPECT_EQ(bad_alone({"x"}, true).what, "--to MEMBER is missing");
}

TEST_F(ArgumentsTest, SurplusPositional) {
  command_.positionals.pop_back();
  EXPECT_EQ(bad({"two"}).what, "surplus argument 'two' after SUBJECT");
  command_.positionals.clear();
  EXPECT_EQ(bad({}).what, "`teamster task try` takes no argument, but got 'subject'");
}

TEST_F(ArgumentsTest, ValuesAreCheckedByType) {
  EXPECT_EQ(bad({"0"}).what, "ID: '0' is not an id");
  EXPECT_EQ(bad({"x1"}).what, "ID: 'x1' is not an id");
  EXPECT_EQ(bad({"99999999999999999999"}).what, "ID: '99999999999999999999' is not an id");
  EXPECT_EQ(bad({"--blocked-by=-1"}).what, "--blocked-by: '-1' is not an id");
  EXPECT_EQ(bad({"--after", "1.5"}).what, "--after: '1.5' is not a count");
  EXPECT_EQ(bad({"--wait", "5x"}).what, "--wait: '5x' is not a length of time");
  EXPECT_EQ(bad({"--metadata", "[1]"}).what, "--metadata: not a JSON object");
  EXPECT_TRUE(mentions(bad({"--metadata", "{"}).what, "--metadata: not valid JSON at byte"));
  EXPECT_TRUE(mentions(bad({"--summary", "ab\xff"}).what, "--summary: not valid UTF-8 at byte 2 (0xff)"));
  EXPECT_TRUE(mentions(bad_alone({"x", "--to", "lead", "--team", "Not/A/Name"}).what,
                       "--team: 'Not/A/Name' is not a valid team name"));
}

TEST_F(ArgumentsTest, Choices) {
  const Error error = bad({"--mark", "sean"});
  EXPECT_EQ(error.what, "--mark: 'sean' is not one of seen, acted");
  EXPECT_TRUE(mentions(error.next, "Did you mean seen?"));
}

TEST_F(ArgumentsTest, FieldsAreTypedAndLeaveOutWhatIsNotThere) {
  const auto arguments =
      good({"s", "4", "--blocked-by", "9", "--metadata", R"({"a":null})", "--force", "--wait", "2s"});
  EXPECT_EQ(
      arguments.fields({"team", "SUBJECT", "ID", "blocked-by", "metadata", "force", "wait", "summary", "mark"}),
      Json::parse(
          R"({"team":"demo","subject":"s","id":[4],"blocked_by":[9],"metadata":{"a":null},"force":true,"wait":2000})"));
}

}  // namespace
}  // namespace teamster::cli
