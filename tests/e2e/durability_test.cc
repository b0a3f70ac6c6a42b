// What happens to the store when processes die, files are damaged or the disk is full.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

class Durability : public testing::Test {
 protected:
  void SetUp() override { home_.create_team("alpha", {"builder", "tester"}); }
  std::set<std::string> bodies() {
    std::set<std::string> found;
    for (const auto& message : home_.inbox("alpha", "tester", {"--all"}))
      EXPECT_TRUE(found.insert(message["body"].get<std::string>()).second) << "twice: " << message["body"];
    return found;
  }
  // The store's content in one file, with nobody having it open.
  std::string stop_and_read_store() {
    home_.end_hub(SIGTERM);
    EXPECT_FALSE(std::filesystem::exists(home_.file("store.db-wal"))) << "an orderly end leaves one file";
    return read_file(home_.file("store.db"));
  }

  Home home_;
};

TEST_F(Durability, CommandsKilledInABurstLeaveAllOrNothing) {
  std::set<std::string> acknowledged;
  for (int round = 0; round < 4; ++round) {
    std::vector<Process> burst;
    std::vector<std::string> texts;
    for (int i = 0; i < 8; ++i) {
      texts.push_back(fmt::format("{}.{}", round, i));
      burst.push_back(home_.start(
          {"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", texts.back(), "--json"}));
    }
    std::this_thread::sleep_for(Milliseconds(3 * round));  // another place to die in each round
    for (std::size_t i = 0; i < burst.size(); i += 2) burst[i].kill(SIGKILL);
    for (std::size_t i = 0; i < burst.size(); ++i) {
      const int exit = burst[i].wait().value_or(-1);
      EXPECT_TRUE(i % 2 == 0 || exit == 0) << burst[i].err();
      if (burst[i].out().find("queued") != std::string::npos) acknowledged.insert(texts[i]);
    }
  }
  const auto found = bodies();
  EXPECT_TRUE(std::includes(found.begin(), found.end(), acknowledged.begin(), acknowledged.end()));
  EXPECT_GE(acknowledged.size(), 16U);
  EXPECT_EQ(home_.ok({"doctor", "--deep"})["score"], 100);
}

TEST_F(Durability, AHubAskedToEndFinishesAndWaitersCarryOn) {
  Process waiter =
      home_.start({"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "50s", "--json"});
  ASSERT_TRUE(eventually([&] { return home_.ok({"hub", "--status"})["parked"] == 1; }));
  std::vector<Process> senders;
  for (int i = 0; i < 6; ++i)
    senders.push_back(
        home_.start({"message", "send", "--team", "alpha", "--from", "tester", "--to", "builder", std::to_string(i)}));
  for (const pid_t pid : home_.hub_pids()) {
    ::kill(pid, SIGTERM);
    EXPECT_TRUE(has_ended(pid, 10s));
  }
  for (auto& sender : senders) EXPECT_EQ(sender.wait(), 0) << sender.err();
  home_.send("alpha", "builder", "tester", "carried on");
  ASSERT_EQ(waiter.wait(10s), 0) << waiter.err();
  EXPECT_EQ(home_.inbox("alpha", "builder").size(), 6U);
}

TEST_F(Durability, AnythingAcknowledgedSurvivesTheKillThatFollows) {
  for (int i = 0; i < 5; ++i) {
    home_.send("alpha", "builder", "tester", std::to_string(i));
    home_.kill_hubs();
  }
  EXPECT_EQ(bodies().size(), 5U);
}

TEST_F(Durability, AStoreOfGarbageIsAClearErrorAndIsNotTouched) {
  (void)stop_and_read_store();
  std::string garbage(65536, '\0');
  for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761U >> 13);
  write_file(home_.file("store.db"), garbage);
  for (const Words& words :
       std::vector<Words>{{"team", "list"}, {"message", "send", "--team", "alpha", "--to", "tester", "x"}}) {
    const Outcome outcome = home_.fails(1, words);
    EXPECT_NE(outcome.what().find(home_.file("store.db")), std::string::npos) << outcome;
    EXPECT_FALSE(outcome.next().empty()) << outcome;
  }
  const Outcome doctor = home_.fails(1, {"doctor"});
  EXPECT_NE(doctor.out.find("store.db"), std::string::npos) << doctor;
  home_.end_hub();
  EXPECT_TRUE(read_file(home_.file("store.db")) == garbage);
}

TEST_F(Durability, ADamagedPageIsFoundByDoctor) {
  for (int i = 0; i < 40; ++i) home_.send("alpha", "builder", "tester", std::string(2000, 'x'));
  std::string content = stop_and_read_store();
  ASSERT_GT(content.size(), 80'000U);
  for (std::size_t at = 40'000; at < 70'000; ++at) content[at] = static_cast<char>(at * 31);
  write_file(home_.file("store.db"), content);
  const Outcome doctor = home_.fails(1, {"doctor", "--deep"});
  EXPECT_NE(doctor.exit, 70);
  EXPECT_EQ(doctor.err.find("terminate"), std::string::npos);
}

TEST_F(Durability, AStoreOfANewerFormatIsRefusedNamingBoth) {
  std::string content = stop_and_read_store();
  ASSERT_GT(content.size(), 100U);
  const int format = static_cast<unsigned char>(content[63]);
  content.replace(60, 4, std::string("\0\0\x03\xe7", 4));  // 999, big endian
  write_file(home_.file("store.db"), content);
  const Outcome outcome = home_.run({"team", "list", "--json"});
  EXPECT_EQ(outcome.exit, 3) << outcome;
  EXPECT_NE(outcome.what().find("999"), std::string::npos) << outcome;
  EXPECT_NE(outcome.what().find(std::to_string(format)), std::string::npos) << outcome;
  home_.end_hub();
  EXPECT_TRUE(read_file(home_.file("store.db")) == content) << "a refused store is not written to";
  content.replace(60, 4, std::string("\0\0\0", 3) + static_cast<char>(format));
  write_file(home_.file("store.db"), content);
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 1U);
}

TEST_F(Durability, ADirectoryInPlaceOfTheStore) {
  (void)stop_and_read_store();
  std::filesystem::remove(home_.file("store.db"));
  std::filesystem::create_directory(home_.file("store.db"));
  const Outcome outcome = home_.fails(1, {"team", "list"});
  EXPECT_NE(outcome.what().find("store.db"), std::string::npos) << outcome;
  EXPECT_TRUE(std::filesystem::is_directory(home_.file("store.db")));
  home_.end_hub();
  std::filesystem::remove_all(home_.file("store.db"));
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 0U) << "works again, with a new store";
}

// A small file system in place of the home, gone at the end of the test.
class SmallDisk {
 public:
  explicit SmallDisk(std::string place) : place_(std::move(place)) {
    std::filesystem::create_directory(place_);
    error_ = ::mount("tmpfs", place_.c_str(), "tmpfs", 0, "size=2m,mode=0700") == 0 ? 0 : errno;
  }
  ~SmallDisk() {
    if (error_ == 0) ::umount2(place_.c_str(), MNT_DETACH);
  }
  int error() const { return error_; }
  // Leaves at most this many bytes.
  void fill(std::uintmax_t leave) {
    std::ofstream filler(place_ + "/filler", std::ios::binary | std::ios::app);
    while (std::filesystem::space(place_).available > leave && filler.write(std::string(4096, 'f').data(), 4096) &&
           filler.flush()) {
    }
  }
  void empty() { std::filesystem::remove(place_ + "/filler"); }

 private:
  std::string place_;
  int error_ = 0;
};

TEST(FullDisk, IsAnErrorToTheCallerAndLeavesTheStoreIntact) {
  const Home home;
  SmallDisk disk(home.path());
  if (disk.error() != 0) GTEST_SKIP() << "cannot mount a tmpfs here: " << std::generic_category().message(disk.error());
  home.create_team("alpha", {"builder", "tester"});
  for (int i = 0; i < 3; ++i) home.send("alpha", "builder", "tester", "before");
  disk.fill(64 * 1024);
  const RunOptions large{.input = std::string(300'000, 'x')};
  for (int i = 0; i < 3; ++i) {
    const Outcome full =
        home.fails(1, {"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "-"}, large);
    EXPECT_EQ(full.code(), "unavailable");
    EXPECT_NE(full.what().find("full"), std::string::npos) << full;
    EXPECT_FALSE(full.next().empty());
  }
  disk.empty();
  EXPECT_EQ(
      home.ok({"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", "-"}, large)["receipt"],
      "queued");
  const auto messages = home.inbox("alpha", "tester");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0]["body"], "before");
  const Outcome doctor = home.fails(0, {"doctor", "--deep"});
  for (const auto& check : doctor.json["checks"])
    EXPECT_EQ(check["status"], check["name"] == "disk" ? "warn" : "ok") << check;
  home.end_hub();
}

TEST(FullDisk, AHomeThatCannotBeMadeIsAClearError) {
  const Home home;
  SmallDisk disk(home.path());
  if (disk.error() != 0) GTEST_SKIP() << "cannot mount a tmpfs here: " << std::generic_category().message(disk.error());
  disk.fill(0);
  const Outcome full = home.fails(1, {"team", "create", "alpha", "--member", "builder"});
  EXPECT_FALSE(full.what().empty());
  disk.empty();
  EXPECT_EQ(home.ok({"team", "create", "alpha", "--member", "builder"})["team"], "alpha");
  home.end_hub();
}

}  // namespace
}  // namespace teamster::e2e
