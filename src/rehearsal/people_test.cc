#include "rehearsal/people.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

TEST(PeopleTest, AnswerByStepAndOtherwiseNot) {
  env::sim::World world(1);
  env::Files& files = world.start("engine").view().files;
  ASSERT_TRUE(files.make_private_directory("/r"));
  const workflow::RunCommand question{workflow::command::Ask{}, "approve", 2};
  EXPECT_FALSE(people_of_rehearsal(files, "/r")(question)) << "nobody is there";
  for (const char* text : {"", "[]", "{"}) {
    ASSERT_TRUE(files.replace(people_file_of_rehearsal("/r"), text, 0600));
    EXPECT_FALSE(read_people(files, people_file_of_rehearsal("/r"))) << text;
    EXPECT_FALSE(people_of_rehearsal(files, "/r")(question)) << text;
  }
  ASSERT_TRUE(files.replace(people_file_of_rehearsal("/r"), R"({"approve": {"approved": true}})", 0600));
  EXPECT_EQ(people_of_rehearsal(files, "/r")(question), Json::parse(R"({"approved": true})"));
  EXPECT_FALSE(people_of_rehearsal(files, "/r")({workflow::command::Ask{}, "other", 1}));
}

}  // namespace
}  // namespace teamster::cli
