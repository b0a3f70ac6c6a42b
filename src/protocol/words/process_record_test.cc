#include "protocol/words/process_record.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

const ProcessIdentity kProcess{4711, 99, "boot", "machine", 4026531836};

TEST(ProcessRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(read_process_record(process_record(kProcess)), kProcess);
  const auto argument = read_holder_argument(holder_argument(kProcess));
  ASSERT_TRUE(argument);
  EXPECT_EQ(*argument, kProcess);
}

TEST(ProcessRecord, OfOlderProgramsHasNoMachine) {
  const Json record = Json::parse(R"({"boot_id":"boot","pid":4711,"start_ticks":99})");
  EXPECT_EQ(read_process_record(record), (ProcessIdentity{4711, 99, "boot"}));
  EXPECT_EQ(process_record({4711, 99, "boot"}), record) << "what is not known is not written";
  const auto argument = read_holder_argument(Json::parse(R"({"pid":4711,"start":99,"boot":"boot"})"));
  ASSERT_TRUE(argument);
  EXPECT_EQ(*argument, (ProcessIdentity{4711, 99, "boot"}));
}

TEST(ProcessRecord, RefusesWhatIsNoProcess) {
  for (const char* text : {"7", "{}", R"({"pid":0,"start":1,"boot":"b"})", R"({"pid":1,"start":-1,"boot":"b"})",
                           R"({"pid":1,"start":1,"boot":""})", R"({"pid":1,"start":1,"boot":"b","machine":7})",
                           R"({"pid":1,"start":1,"boot":"b","pid_namespace":-1})"})
    EXPECT_FALSE(read_holder_argument(Json::parse(text))) << text;
  EXPECT_FALSE(read_process_record(Json("x")));
  EXPECT_EQ(read_process_record(Json::parse(R"({"pid":"x"})")), ProcessIdentity{});
}

}  // namespace
}  // namespace teamster
