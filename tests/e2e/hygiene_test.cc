// What is left behind by whoever died: found among ten thousand, told of, cleaned up with consent; and what another
// tool has begun, taken over.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

// Files of Claude Code in all the states that a machine can have them in.
class ManyTeams : public testing::Test {
 protected:
  static constexpr int kTeams = 10'000;

  std::string place(const std::string& kind, int number) const {
    return fmt::format("{}/.claude/teams/{}-{:05}", home_.scratch(), kind, number);
  }
  void write_config(const std::string& directory, const std::string& text) const {
    std::filesystem::create_directories(directory);
    write_file(directory + "/config.json", text);
  }
  void leave(int number) const {
    const Json members = Json::parse(R"([{"name":"team-lead"},{"name":"bob"}])");
    const Json gone = {{"leadProcess", {{"pid", 1}, {"procStart", "99999999999"}}}, {"members", members}};
    const Json living = {{"leadProcess", {{"pid", ::getpid()}}}, {"members", members}};
    switch (number % 7) {
      case 0:
        return write_config(place("living", number), dump_json(living));
      case 1:
        return write_config(place("broken", number), "{\"leadProcess\":");
      case 2:
        return std::filesystem::create_directory_symlink(place("loop", number), place("loop", number));
      case 3:
        return write_config(place("elsewhere", number),
                            R"({"leadProcess":{"pid":7,"procStart":"1","pidSpace":"vm#pid:[1]"}})");
      case 4:
        return write_config(place("huge", number), std::string((1U << 20) + 1, ' '));
      case 5:
        return write_file(place("file", number), "no directory");
      default:
        return write_config(place("orphan", number), dump_json(gone));
    }
  }

  const Home home_;
};

TEST_F(ManyTeams, OfTenThousandForeignDirectoriesNoLivingOneIsAnOrphan) {
  std::filesystem::create_directories(home_.scratch() + "/.claude/teams");
  // The huge ones take room: few are enough.
  for (int number = 0; number < kTeams; ++number)
    if (number % 7 != 4 || number < 70) leave(number);
  for (const char* look : {"first", "second, which has read them already"}) {
    const Json seen = home_.ok({"team", "status"}).at("claude_teams");
    std::map<std::string, std::pair<int, int>> counts;  // by kind: orphans and others
    for (const auto& team : seen) {
      const auto name = team.at("team").get<std::string>();
      auto& [orphans, others] = counts[name.substr(0, name.find('-'))];
      ++(team.at("orphan").get<bool>() ? orphans : others);
    }
    EXPECT_EQ(counts["orphan"], std::pair(1428, 0)) << look;
    EXPECT_EQ(counts["living"], std::pair(0, 1429)) << look;
    EXPECT_EQ(counts["elsewhere"], std::pair(0, 1429)) << look;
    EXPECT_EQ(counts["loop"], std::pair(0, 1429)) << look;
    EXPECT_EQ(counts["huge"], std::pair(0, 10)) << look;
    EXPECT_EQ(counts["broken"], std::pair(0, 1429)) << look << ": they are young";
    EXPECT_EQ(counts.count("file"), 0U) << look;
  }
}

TEST(Orphans, ADirectoryOfWhichNoTeamIsKnownIsOneAndGoes) {
  const Home home;
  home.create_team("demo", {"ada"});
  std::filesystem::create_directories(home.file("teams/nobody/ada"));
  const Json orphans = home.ok({"team", "status"}).at("orphans");
  ASSERT_EQ(orphans.size(), 1U) << orphans;
  EXPECT_EQ(orphans[0]["team"], "nobody");
  EXPECT_EQ(orphans[0]["place"], home.file("teams/nobody"));
  home.ok({"team", "cleanup", "--yes"});
  EXPECT_FALSE(std::filesystem::exists(home.file("teams/nobody")));
  EXPECT_TRUE(std::filesystem::exists(home.file("teams/demo/ada/token")));
}

TEST(Orphans, ADeleteThatFailsSaysWhereAndWhatToDo) {
  // Nothing stops root.
  const Home home(::getuid() == 0 ? std::optional<uid_t>(65534) : std::nullopt);
  home.create_team("demo", {"ada"});
  const std::string place = home.file("teams/demo");
  ASSERT_EQ(::chmod(home.file("teams").c_str(), 0500), 0);
  const Outcome failed = home.run({"team", "delete", "demo", "--force", "--json"});
  (void)::chmod(home.file("teams").c_str(), 0700);
  EXPECT_EQ(failed.exit, 3) << failed;
  EXPECT_NE(failed.what().find(place), std::string::npos) << failed;
  EXPECT_EQ(home.ok({"team", "status"}).at("orphans").at(0).at("team"), "demo") << "what is left of it";
}

TEST(Import, TasksOfClaudeCodeBecomeTheListOfATeam) {
  const Home home;
  const std::string list = home.scratch() + "/.claude/tasks/my-list";
  std::filesystem::create_directories(list);
  write_file(list + "/.lock", "");
  write_file(list + "/1.json", R"({"id":"1","subject":"Parser","description":"d","status":"completed","blocks":["2"],
                                   "blockedBy":[],"owner":"dave","metadata":{"size":2},"newKey":[1]})");
  write_file(list + "/2.json",
             R"({"id":"2","subject":"Printer","status":"in_progress","blocks":[],"blockedBy":["1"]})");
  const Json imported = home.ok({"import", list});
  EXPECT_EQ(imported["team"], "my-list");
  const Json tasks = home.ok({"task", "list", "--team", "my-list"}).at("tasks");
  ASSERT_EQ(tasks.size(), 2U) << tasks;
  EXPECT_EQ(tasks[0]["status"], "completed");
  EXPECT_EQ(tasks[0]["metadata"]["size"], 2);
  EXPECT_EQ(tasks[0]["metadata"]["imported"]["newKey"], Json({1}));
  EXPECT_EQ(tasks[1]["status"], "pending") << "nobody here is at it";
  EXPECT_EQ(tasks[1]["blocked_by"], Json({1}));
  write_file(list + "/3.json", "{ torn");
  const Outcome broken = home.run({"import", list, "--team", "other", "--json"});
  EXPECT_EQ(broken.exit, 2) << broken;
  EXPECT_NE(broken.what().find("3.json"), std::string::npos) << broken;
  EXPECT_EQ(home.run({"team", "status", "other", "--json"}).exit, 1) << "nothing was changed";
}

}  // namespace
}  // namespace teamster::e2e
