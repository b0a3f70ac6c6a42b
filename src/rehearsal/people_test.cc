#include "rehearsal/people.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;
using workflow::RunCommand;
using workflow::command::Ask;

class PeopleTest : public testing::Test {
 protected:
  PeopleTest() { EXPECT_TRUE(files_.make_private_directory("/r")); }

  Result<People> read(const std::string& text) {
    EXPECT_TRUE(files_.replace(people_file_of_rehearsal("/r"), text, 0600));
    return read_people(files_, people_file_of_rehearsal("/r"));
  }
  std::optional<engine::PlayedReply> answer(const std::string& text, const RunCommand& question) {
    const auto people = read(text);
    EXPECT_TRUE(people) << text << ": " << (people ? "" : people.error().text());
    return people ? (*people)(question) : std::nullopt;
  }

  env::sim::World world_{1};
  env::Files& files_ = world_.start("engine").view().files;
  const RunCommand gate_{Ask{.text = "?", .to = "kim", .gate = true}, "approve", 1};
  const RunCommand ask_{Ask{.text = "?", .options = {"spring", "summer"}}, "name", 1};
};

TEST_F(PeopleTest, AnswerByStepAndOtherwiseNot) {
  EXPECT_FALSE(people_of_rehearsal(files_, "/r")(gate_)) << "nobody is there";
  for (const char* text : {"", "[]", "{"}) {
    EXPECT_FALSE(read(text)) << text;
    EXPECT_FALSE(people_of_rehearsal(files_, "/r")(gate_)) << text;
  }
  ASSERT_TRUE(read(R"({"approve": {"approved": true}})"));
  EXPECT_EQ(people_of_rehearsal(files_, "/r")(gate_)->answer,
            Json::parse(R"({"approved": true, "by": "kim", "feedback": null})"));
  EXPECT_FALSE(people_of_rehearsal(files_, "/r")({Ask{}, "other", 1}));
}

TEST_F(PeopleTest, AnAnswerSaysByWhomWhenAndByWhichWay) {
  const auto reply =
      answer(R"({"approve": {"reject": "too long", "by": "sam", "after": "2h", "way": "terminal"}})", gate_);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->answer, Json::parse(R"({"approved": false, "by": "sam", "feedback": "too long"})"));
  EXPECT_EQ(reply->by, "sam");
  EXPECT_EQ(reply->how, "terminal");
  EXPECT_EQ(reply->after, Duration(2h));
  const auto approved = answer(R"({"approve": {"approve": "well done"}})", gate_);
  EXPECT_EQ(approved->answer["approved"], true);
  EXPECT_EQ(approved->note, "well done");
  EXPECT_EQ(approved->how, "script");
  EXPECT_EQ(answer(R"({"approve": "approve"})", gate_)->answer["approved"], true);
  EXPECT_EQ(answer(R"({"approve": "no"})", gate_)->answer["feedback"], "no") << "any other text is no yes";
}

TEST_F(PeopleTest, AnOptionIsNamedByItsWordsOrItsNumber) {
  EXPECT_EQ(answer(R"({"name": "summer"})", ask_)->answer, Json::parse(R"({"answer": "summer", "by": "owner"})"));
  EXPECT_EQ(answer(R"({"name": {"answer": 2}})", ask_)->answer["answer"], "summer");
}

TEST_F(PeopleTest, SeveralAnswersComeInTheirOrderAndTheLastStays) {
  const auto people = read(R"({"approve": [{"reject": "no"}, null, {"approve": true, "by": "ida"}]})");
  ASSERT_TRUE(people) << people.error().text();
  const auto at = [&](std::int64_t attempt) { return (*people)({gate_.body, "approve", attempt}); };
  EXPECT_EQ(at(1)->answer["approved"], false);
  EXPECT_FALSE(at(2)) << "nobody answers the second time";
  EXPECT_EQ(at(3)->by, "ida");
  EXPECT_EQ(at(9)->answer["approved"], true);
}

TEST_F(PeopleTest, MistakesAreToldWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"approve": {"aprove": true}})", "'aprove', which means nothing"},
      {R"({"approve": {"by": "kim"}})", "says nothing"},
      {R"({"approve": {"approve": true, "reject": "no"}})", "says two things"},
      {R"({"approve": {"approve": false}})", "neither true nor a text"},
      {R"({"approve": [true, {"reject": 1}]})", "answer 2 to"},
      {R"({"approve": {"approve": true, "after": "soon"}})", "`after`"},
      {R"({"approve": {"approve": true, "by": 7}})", "`by`"},
      {R"({"approve": []})", "is empty"},
      {R"({"approve": [[true]]})", "is a list"}};
  for (const auto& [text, part] : wrong) {
    const auto read_then = read(text);
    ASSERT_FALSE(read_then) << text;
    EXPECT_NE(read_then.error().text().find(part), std::string::npos) << read_then.error().text();
    EXPECT_NE(read_then.error().text().find("people.json"), std::string::npos) << read_then.error().text();
  }
}

}  // namespace
}  // namespace teamster::cli
