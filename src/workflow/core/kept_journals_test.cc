// Journals of runs that earlier versions drove, kept in tests/replay: NAME.jsonl has the records in their
// order as `teamster log RUN --json` shows them, NAME.state.json the state they gave then. They
// must give it for ever. Add one when the format grows; never change one.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "workflow/core/run_for_test.h"
#include "workflow/core/run_state.h"
#include "workflow/format/bundled_workflows_for_test.h"

namespace teamster::workflow {
namespace {

const std::filesystem::path kKept = std::filesystem::path(TEAMSTER_SOURCE_DIR) / "tests" / "replay";

std::vector<Json> records_in(const std::filesystem::path& path) {
  std::vector<Json> records;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
  return records;
}

// The hub's own entries are not the engine's, and it wraps what it was given at the start.
RunState fold(const std::vector<Json>& records) {
  RunState state;
  for (const auto& each : records) {
    const std::string kind = each.at("kind");
    if (kind == "run.leased" || kind == "run.renewed" || kind == "run.released" || kind == "run.told") continue;
    const Json& body = kind == event::Started::kKind ? each.at("body").at("body") : each.at("body");
    const auto record = read_record(kind, body);
    EXPECT_TRUE(record) << record.error().text();
    if (record) apply(state, *record);
  }
  return state;
}

// What the state of today says that the kept one does not know may be new; all that it knows must be there.
void expect_contains(const Json& state, const Json& kept) {
  for (const auto& [name, value] : kept.items()) EXPECT_EQ(state.value(name, Json()), value) << name;
}

TEST(KeptJournals, GiveTheStateThatTheyGaveThen) {
  int journals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kKept)) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path().filename());
    ++journals;
    const auto records = records_in(entry.path());
    ASSERT_FALSE(records.empty());
    std::filesystem::path state = entry.path();
    state.replace_extension(".state.json");
    expect_contains(to_json(fold(records)), Json::parse(file_contents(state)));
  }
  EXPECT_GE(journals, 1);
}

// What is read of a record is all that it says: written again it is the same.
TEST(KeptJournals, AreWrittenAgainAsTheyWere) {
  for (const auto& each : records_in(kKept / "implement-spec-1.jsonl")) {
    const std::string kind = each.at("kind");
    if (kind == "run.leased" || kind == "run.renewed" || kind == "run.released" || kind == "run.told") continue;
    const Json& body = kind == event::Started::kKind ? each.at("body").at("body") : each.at("body");
    const auto record = read_record(kind, body);
    ASSERT_TRUE(record) << record.error().text();
    EXPECT_FALSE(record->event.is<event::Unknown>()) << kind;
    EXPECT_EQ(body_of(*record), body);
  }
}

// A journal is read whole or in two parts with a snapshot between: of each record.
TEST(KeptJournals, ASnapshotAnywhereGivesTheSame) {
  const auto records = records_in(kKept / "implement-spec-1.jsonl");
  const Json whole = to_json(fold(records));
  for (std::size_t cut = 1; cut < records.size(); ++cut) {
    const RunState before = fold({records.begin(), records.begin() + static_cast<std::ptrdiff_t>(cut)});
    auto state = state_from_json(Json::parse(dump_json(to_json(before))));
    ASSERT_TRUE(state) << state.error().text();
    for (std::size_t i = cut; i < records.size(); ++i) {
      const auto record = read_record(records[i].at("kind").get<std::string>(), records[i].at("body"));
      ASSERT_TRUE(record) << record.error().text();
      apply(*state, *record);
    }
    EXPECT_EQ(to_json(*state), whole) << "cut after record " << cut;
  }
}

}  // namespace
}  // namespace teamster::workflow
