#include "script/place_file.h"

#include <gtest/gtest.h>

#include "env/sim/sim_files.h"

namespace teamster::script {
namespace {

class PlaceFileTest : public testing::Test {
 protected:
  env::sim::SimClock clock_;
  env::sim::SimLoop loop_{clock_, env::sim::SimRandom(1)};
  env::sim::HostId host_ = loop_.add_host();
  env::sim::SimFileTree tree_{loop_};
  env::sim::SimFiles files_{tree_, loop_, clock_, host_};
  PlaceFile file_{files_, "/home/places", "id"};
};

TEST_F(PlaceFileTest, ASessionNeverSpokenToHasNoFile) {
  const auto place = file_.load();
  ASSERT_TRUE(place);
  EXPECT_FALSE(*place);
  EXPECT_FALSE(*files_.status("/home/places"));
}

TEST_F(PlaceFileTest, KeepsRecords) {
  ASSERT_TRUE(file_.append(record::session("id", "m")));
  ASSERT_TRUE(file_.append(record::prompt("a", 3)));
  const auto place = PlaceFile(files_, "/home/places", "id").load();
  ASSERT_TRUE(place && *place);
  EXPECT_EQ((*place)->current->turn, 3);
  EXPECT_EQ((*files_.status("/home/places/id.jsonl"))->mode, 0600U);
}

TEST_F(PlaceFileTest, GoesOnCleanlyAfterACrashInAWrite) {
  ASSERT_TRUE(file_.append(record::session("id", "m")));
  ASSERT_TRUE(file_.append(record::prompt("a", 3)));
  ASSERT_TRUE(files_.append("/home/places/id.jsonl", R"({"step)", 0600));
  ASSERT_TRUE(file_.load());
  ASSERT_TRUE(file_.append(record::step(0)));
  const auto place = file_.load();
  ASSERT_TRUE(place && *place) << place.error().text();
  EXPECT_EQ((*place)->current->next_step, 1U);
}

TEST_F(PlaceFileTest, ACrashInTheVeryFirstWriteLeavesNoSession) {
  ASSERT_TRUE(files_.make_private_directory("/home/places"));
  ASSERT_TRUE(files_.append("/home/places/id.jsonl", R"({"form)", 0600));
  const auto place = file_.load();
  ASSERT_TRUE(place);
  EXPECT_FALSE(*place);
  ASSERT_TRUE(file_.append(record::session("id", "m")));
  EXPECT_TRUE(*file_.load());
}

TEST_F(PlaceFileTest, ADamagedFileIsNamed) {
  ASSERT_TRUE(file_.append(record::session("id", "m")));
  ASSERT_TRUE(file_.append("no record"));
  const auto place = file_.load();
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().what, "/home/places/id.jsonl is damaged: line 2: a record is no object");
}

}  // namespace
}  // namespace teamster::script
