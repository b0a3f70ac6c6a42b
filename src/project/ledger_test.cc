#include "project/ledger.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "env/sim/sim_world.h"
#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

constexpr const char* kArtifactName = "{{sequence:03}}-p{{number:02}}-{{id}}.json";

// As another tool writes it.
constexpr const char* kIndex = R"({
  "spec_number": "08",
  "notes": { "z": 1, "a": [1, 2] },
  "status": "in_progress",
  "current_phase": 3,
  "next_sequence": 4,
  "iterations": { "verify": 1, "test_fix": 0, "refactor": 0, "other": 7 },
  "phases": {
    "1_implement": { "status": "done", "latest": "003-p01-implement.json", "who": "ada" },
    "2_verify": { "status": "in_progress", "latest": null },
    "3_unit_tests": { "status": "pending", "latest": null }
  },
  "page_url": null
}
)";

class LedgerTest : public ProjectTest {
 protected:
  void write_index(const std::string& text) { write("progress/spec-08/manifest.json", text); }
  Result<std::optional<LedgerState>> load() { return load_ledger(view_.files, place_); }
  Result<void> save(const LedgerState& state) { return save_ledger(view_.files, place_, state); }
  Result<std::string> put(const Artifact& artifact) {
    return write_artifact(view_.files, place_, kArtifactName, artifact);
  }
  // What load says about an index in which one text is replaced by another.
  std::string complaint(const std::string& from, const std::string& to) {
    std::string text = kIndex;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_index(text.replace(at, from.size(), to));
    const auto state = load();
    return state ? "" : state.error().text();
  }

  LedgerPlace place_{path(), "progress/spec-08", "manifest.json"};
};

TEST_F(LedgerTest, WhereThereIsNoneThereIsNone) { EXPECT_EQ(load()->has_value(), false); }

TEST_F(LedgerTest, PhasesHaveKeysWithUnderscores) {
  EXPECT_EQ(phase_key(3, "unit-tests"), "3_unit_tests");
  EXPECT_EQ(phase_key(10, "commit"), "10_commit");
}

TEST_F(LedgerTest, ReadsTheManifestOfAnotherTool) {
  write_index(kIndex);
  const auto loaded = load();
  ASSERT_TRUE(loaded) << loaded.error().text();
  const LedgerState& state = **loaded;
  EXPECT_EQ(state.status, LedgerStatus::in_progress);
  EXPECT_EQ(state.current_phase, 3);
  EXPECT_EQ(state.next_sequence, 4);
  EXPECT_EQ(state.iterations,
            (std::map<std::string, std::int64_t>{{"verify", 1}, {"test_fix", 0}, {"refactor", 0}, {"other", 7}}));
  ASSERT_EQ(state.phases.size(), 3U);
  EXPECT_EQ(state.phases[0].key, "1_implement");
  EXPECT_EQ(state.phases[0].status, LedgerPhaseStatus::done);
  EXPECT_EQ(state.phases[0].latest, "003-p01-implement.json");
  EXPECT_EQ(state.phases[1].latest, std::nullopt);
  ASSERT_EQ(state.fields.size(), 3U);
  EXPECT_EQ(state.fields[0].first, "spec_number");
  EXPECT_EQ(state.fields[0].second, "08");
  EXPECT_EQ(state.fields[2].first, "page_url");
  EXPECT_TRUE(state.fields[2].second.is_null());
}

TEST_F(LedgerTest, KeepsUnknownKeysAndTheOrder) {
  write_index(kIndex);
  LedgerState state = **load();
  state.status = LedgerStatus::blocked;
  state.current_phase = 2;
  state.iterations["verify"] = 2;
  state.phases[1].status = LedgerPhaseStatus::done;
  state.phases[1].latest = "004-p02-verify.json";
  ASSERT_TRUE(save(state));
  EXPECT_EQ(read("progress/spec-08/manifest.json"), R"({
  "spec_number": "08",
  "notes": {
    "z": 1,
    "a": [
      1,
      2
    ]
  },
  "status": "blocked",
  "current_phase": 2,
  "next_sequence": 4,
  "iterations": {
    "verify": 2,
    "test_fix": 0,
    "refactor": 0,
    "other": 7
  },
  "phases": {
    "1_implement": {
      "status": "done",
      "latest": "003-p01-implement.json",
      "who": "ada"
    },
    "2_verify": {
      "status": "done",
      "latest": "004-p02-verify.json"
    },
    "3_unit_tests": {
      "status": "pending",
      "latest": null
    }
  },
  "page_url": null
}
)");
}

TEST_F(LedgerTest, WritesANewOneInItsOwnOrder) {
  LedgerState state;
  state.fields = {{"spec_number", "08"}, {"page_url", nullptr}};
  state.iterations = {{"verify", 0}};
  state.phases = {{"1_implement", LedgerPhaseStatus::in_progress, std::nullopt}};
  ASSERT_TRUE(save(state));
  EXPECT_EQ(read("progress/spec-08/manifest.json"), R"({
  "spec_number": "08",
  "page_url": null,
  "status": "in_progress",
  "current_phase": 1,
  "next_sequence": 1,
  "iterations": {
    "verify": 0
  },
  "phases": {
    "1_implement": {
      "status": "in_progress",
      "latest": null
    }
  }
}
)");
  EXPECT_EQ((*load())->phases[0].status, LedgerPhaseStatus::in_progress);
}

TEST_F(LedgerTest, WhatIsUnchangedIsNotWritten) {
  const std::string file = path("progress/spec-08/manifest.json");
  write_index(kIndex);
  ASSERT_TRUE(save(**load()));
  std::filesystem::create_hard_link(file, path("same"));
  ASSERT_TRUE(save(**load()));
  EXPECT_TRUE(std::filesystem::equivalent(file, path("same")));
  LedgerState state = **load();
  state.next_sequence = 5;
  ASSERT_TRUE(save(state));
  EXPECT_FALSE(std::filesystem::equivalent(file, path("same"))) << "a new file, never a changed one";
}

TEST_F(LedgerTest, NamesEveryMistake) {
  const std::string file = "progress/spec-08/manifest.json";
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& words) {
    const std::string said = complaint(from, to);
    EXPECT_TRUE(said.starts_with(file)) << to << ": " << said;
    EXPECT_NE(said.find(words), std::string::npos) << to << ": " << said;
    EXPECT_NE(said.find("Mend it"), std::string::npos) << said;
  };
  expect("\"in_progress\"", "\"paused\"", "status is 'paused', expected one of in_progress, done, blocked");
  expect("\"in_progress\"", "7", "field 'status' is a whole number, expected a string");
  expect("\"current_phase\": 3", "\"current_phase\": \"3\"", "field 'current_phase' is a string");
  expect("\"current_phase\": 3", "\"current_phase\": 0", "current_phase is 0, expected 1 or more");
  expect("\"current_phase\": 3", "\"current_phase\": 1e3", "field 'current_phase' is a number");
  expect("\"next_sequence\": 4", "\"next_sequence\": -1", "next_sequence is -1");
  expect("\"next_sequence\": 4,", "", "field 'next_sequence' is missing");
  expect("\"next_sequence\": 4", "\"next_sequence\": 99999999999999999999", "next_sequence");
  expect("\"verify\": 1", "\"verify\": null", "iterations: field 'verify'");
  expect("\"verify\": 1", "\"verify\": -1", "iterations: verify is -1");
  expect("\"iterations\"", "\"iteration\"", "field 'iterations' is missing");
  expect("\"phases\"", "\"phase\"", "field 'phases' is missing");
  expect("\"status\": \"pending\"", "\"status\": \"skipped\"", "phases, '3_unit_tests': status is 'skipped'");
  expect("\"003-p01-implement.json\"", "\"../../secret.json\"", "leads out of the project");
  expect("\"003-p01-implement.json\"", "\"a/b.json\"", "is not one name of a file");
  expect("\"003-p01-implement.json\"", "\".git\"", "begins with a dot");
  expect("\"003-p01-implement.json\"", "3", "field 'latest' is a whole number");
  expect("\"page_url\": null", "\"status\": \"done\"", "the key 'status' is there twice");
  expect("\"who\": \"ada\"", "\"latest\": null", "the key 'latest' is there twice");
}

TEST_F(LedgerTest, WhatIsNoJsonNamesTheLine) {
  EXPECT_EQ(complaint("\"status\": \"in_progress\",", "\"status\": in_progress,")
                .find("progress/spec-08/manifest.json:4: not valid JSON"),
            0U);
  write_index(std::string(kIndex).substr(0, 200));
  EXPECT_FALSE(load()) << "a torn file";
  write_index("");
  EXPECT_FALSE(load());
  EXPECT_FALSE(save({})) << "an empty file is somebody's loss, not a new ledger";
  write_index("[]");
  EXPECT_NE(load().error().what.find("not a JSON object"), std::string::npos);
}

TEST_F(LedgerTest, HugeAndDeepManifestsAreRefused) {
  write_index(std::string(limits::kLedgerIndexMaxBytes + 1, ' '));
  EXPECT_NE(load().error().what.find("larger than"), std::string::npos);
  write_index(std::string(100'000, '['));
  EXPECT_NE(load().error().what.find("nested deeper"), std::string::npos);
}

TEST_F(LedgerTest, AMistakenManifestIsNotOverwritten) {
  const std::string text = R"({"status": "done"})";
  write_index(text);
  EXPECT_FALSE(save({}));
  EXPECT_EQ(read("progress/spec-08/manifest.json"), text);
}

TEST_F(LedgerTest, AFieldCannotBeOneOfItsOwn) {
  LedgerState state;
  state.fields = {{"status", "fine"}};
  EXPECT_FALSE(save(state));
  EXPECT_FALSE(exists("progress"));
}

TEST_F(LedgerTest, LinksOutOfTheProjectAreRefused) {
  const env::real::TemporaryDirectory outside;
  std::ofstream(outside.path() + "/manifest.json") << kIndex;
  std::filesystem::create_directories(path("progress/spec-08"));
  std::filesystem::create_symlink(outside.path() + "/manifest.json", path("progress/spec-08/manifest.json"));
  EXPECT_EQ(load().error().code, Code::refused);
  EXPECT_EQ(save({}).error().code, Code::refused);
  std::filesystem::remove_all(path("progress/spec-08"));
  std::filesystem::create_directory_symlink(outside.path(), path("progress/spec-08"));
  EXPECT_EQ(load().error().code, Code::refused);
  EXPECT_EQ(put({1, 1, "implement", Json::object()}).error().code, Code::refused);
  EXPECT_EQ(remove_torn_writes(view_.files, place_).error().code, Code::refused);
  EXPECT_FALSE(std::filesystem::exists(outside.path() + "/001-p01-implement.json"));
}

TEST_F(LedgerTest, AManifestThatCannotBeReadIsAnError) {
  std::filesystem::create_directories(path("progress/spec-08/manifest.json"));
  EXPECT_NE(load().error().what.find("not a file"), std::string::npos);
  place_.directory = "../elsewhere";
  EXPECT_EQ(load().error().code, Code::invalid);
  place_.directory = "/tmp";
  EXPECT_EQ(load().error().code, Code::invalid);
}

TEST_F(LedgerTest, ArtifactsAreNumberedFiles) {
  const Artifact artifact{7, 5, "run-tests", Json::parse(R"({"status": "SUCCESS", "all_passed": true})")};
  EXPECT_EQ(*put(artifact), "007-p05-run-tests.json");
  EXPECT_EQ(read("progress/spec-08/007-p05-run-tests.json"),
            "{\n  \"all_passed\": true,\n  \"status\": \"SUCCESS\"\n}\n");
  EXPECT_EQ(*put(artifact), "007-p05-run-tests.json") << "as after a crash";
  EXPECT_EQ(*read_artifact(view_.files, place_, "007-p05-run-tests.json"), artifact.answer);
  EXPECT_EQ(*put({1234, 12, "fix", Json::object()}), "1234-p12-fix.json");
}

TEST_F(LedgerTest, AnArtifactIsNeverOverwritten) {
  write("progress/spec-08/001-p01-implement.json", "{}");
  const auto refused = put({1, 1, "implement", Json::parse(R"({"a": 1})")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_NE(refused.error().next.find("next_sequence"), std::string::npos);
  EXPECT_EQ(read("progress/spec-08/001-p01-implement.json"), "{}");
}

TEST_F(LedgerTest, WhatAnotherToolWroteInOtherLettersIsTheSame) {
  const std::string written = "{\"b\" :  [1,2],\r\n \"a\": null}";
  write("progress/spec-08/001-p01-implement.json", written);
  EXPECT_EQ(put({1, 1, "implement", Json::parse(R"({"a": null, "b": [1, 2]})")}), "001-p01-implement.json");
  EXPECT_EQ(read("progress/spec-08/001-p01-implement.json"), written);
}

TEST_F(LedgerTest, ArtifactsStayInTheirDirectory) {
  EXPECT_FALSE(put({1, 1, "../../x", Json::object()}));
  EXPECT_FALSE(put({1, 1, "a\nb", Json::object()}));
  EXPECT_FALSE(put({1, 1, std::string(300, 'a'), Json::object()}));
  EXPECT_FALSE(write_artifact(view_.files, place_, "{{id}}.json", {1, 1, "manifest", Json::object()}));
  EXPECT_FALSE(write_artifact(view_.files, place_, ".{{id}}", {1, 1, "hidden", Json::object()}));
  EXPECT_FALSE(write_artifact(view_.files, place_, "{{name}}.json", {1, 1, "implement", Json::object()}));
  EXPECT_FALSE(exists("progress"));
}

TEST_F(LedgerTest, AMissingOrBrokenArtifactIsAClearError) {
  const auto missing = read_artifact(view_.files, place_, "003-p01-implement.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what,
            "progress/spec-08/manifest.json names progress/spec-08/003-p01-implement.json, which is missing");
  write("progress/spec-08/004-p02-verify.json", "{");
  EXPECT_EQ(read_artifact(view_.files, place_, "004-p02-verify.json").error().code, Code::invalid);
  EXPECT_EQ(read_artifact(view_.files, place_, "../manifest.json").error().code, Code::invalid);
}

TEST_F(LedgerTest, RemovesWhatAKilledWriterLeft) {
  EXPECT_TRUE(remove_torn_writes(view_.files, place_)) << "nothing there";
  write_index(kIndex);
  write("progress/spec-08/.tmp-12-abcdef", "{");
  write("progress/spec-08/.keep", "");
  ASSERT_TRUE(remove_torn_writes(view_.files, place_));
  EXPECT_FALSE(exists("progress/spec-08/.tmp-12-abcdef"));
  EXPECT_TRUE(exists("progress/spec-08/.keep"));
  EXPECT_TRUE(exists("progress/spec-08/manifest.json"));
}

TEST_F(LedgerTest, HasTheModesOfItsProject) {
  namespace fs = std::filesystem;
  const auto mode_of = [&](const std::string& name) { return (*view_.files.status(path(name)))->mode; };
  for (const auto& [mode, file] : {std::pair{0755U, 0644U}, std::pair{0700U, 0600U}}) {
    fs::remove_all(path("progress"));
    fs::permissions(path(), static_cast<fs::perms>(mode));
    ASSERT_TRUE(save({}));
    ASSERT_TRUE(put({1, 1, "implement", Json::object()}));
    EXPECT_EQ(mode_of("progress"), mode);
    EXPECT_EQ(mode_of("progress/spec-08"), mode);
    EXPECT_EQ(mode_of("progress/spec-08/manifest.json"), file);
    EXPECT_EQ(mode_of("progress/spec-08/001-p01-implement.json"), file);
  }
  fs::permissions(path("progress/spec-08/manifest.json"), static_cast<fs::perms>(0640));
  LedgerState other;
  other.next_sequence = 7;
  ASSERT_TRUE(save(other));
  EXPECT_EQ(mode_of("progress/spec-08/manifest.json"), 0640U) << "the user's own choice stays";
}

TEST_F(LedgerTest, NeverMakesTheProjectItself) {
  place_.project = path("moved-away");
  for (const auto& error : {save({}).error(), put({1, 1, "implement", Json::object()}).error()}) {
    EXPECT_EQ(error.code, Code::not_found);
    EXPECT_NE(error.what.find("moved-away is gone"), std::string::npos) << error.what;
    EXPECT_NE(error.next.find("teamster resume"), std::string::npos) << error.next;
  }
  EXPECT_FALSE(exists("moved-away"));
}

TEST(SimulatedLedger, SurvivesAPowerCut) {
  env::sim::World world(3);
  const auto view = world.start("engine").view();
  const LedgerPlace place{"/project", "progress/spec-08", "manifest.json"};
  ASSERT_TRUE(view.files.make_private_directory("/project"));
  LedgerState state;
  state.phases = {{"1_implement", LedgerPhaseStatus::done, "001-p01-implement.json"}};
  ASSERT_TRUE(write_artifact(view.files, place, kArtifactName, {1, 1, "implement", Json::object()}));
  ASSERT_TRUE(save_ledger(view.files, place, state));
  world.power_cut();
  const auto after = world.start("engine").view();
  const auto loaded = load_ledger(after.files, place);
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_TRUE(read_artifact(after.files, place, *(*loaded)->phases[0].latest));
}

}  // namespace
}  // namespace teamster::engine
