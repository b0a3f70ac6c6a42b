// The time of rehearsals: hours that only have to pass take none and stand in the journal; a seed permutes what
// happens first, the same way each time.
#include <filesystem>
#include <set>
#include <sstream>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

constexpr const char* kGate = R"(
name: approval
about: Something to approve within a day.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim, remind: 1h, deadline: 24h, late: LATE }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

constexpr const char* kParallel = R"(
name: parallel
about: Four things at once.
team: { name: parallel, scope: run }
roles:
  worker: { about: works }
phases:
  - id: work
    kind: fanout
    role: worker
    template: work.md
    returns: done.json
    items: { list: [a, b, c, d], members: 4 }
)";

class RehearsalTime : public SpecProject {
 protected:
  static constexpr std::int64_t kHour = 3'600'000;

  std::string add_workflow(const std::string& name, const std::string& text) const {
    const std::string place = home_.scratch() + "/" + name;
    std::filesystem::create_directories(place);
    write_file(place + "/workflow.yaml", text);
    write_file(place + "/rehearsal.json", R"({"project": "plain", "arguments": []})");
    return place;
  }
  std::string gate(const std::string& late) const {
    std::string text = kGate;
    text.replace(text.find("LATE"), 4, late);
    return add_workflow("approval", text);
  }
  static std::int64_t at(const Json& record) { return parse_iso8601(record["at"].get<std::string>())->unix_ms; }

  // In which order the four were done.
  std::string order_with_seed(const std::string& place, const std::string& seed) const {
    const std::string kept = home_.scratch() + "/kept";
    std::filesystem::remove_all(kept);
    const Outcome played =
        run({"rehearse", place, "--script", scripts_, "--keep", kept, "--seed", seed}, home_.scratch());
    EXPECT_EQ(played.exit, 0) << played;
    EXPECT_EQ(played.out.rfind("seed " + seed + "\n", 0), 0U) << played;
    std::istringstream lines(read_file(kept + "/order.txt"));
    std::string order;
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("item-", 0) == 0) order += line.substr(5, 1);
    return order;
  }
};

TEST_F(RehearsalTime, ADeadlineOfADayTakesNoTime) {
  make_rehearsal_home();
  const Outcome ran = run({"run", gate("fail"), "--json"}, home_.scratch());
  EXPECT_EQ(ran.exit, 1) << ran;
  EXPECT_EQ(ran.json["status"], "failed") << ran;
  EXPECT_NE(ran.json["reason"].get<std::string>().find("nobody answered in time"), std::string::npos) << ran;
  const auto started = records(ran.json["run"], "run.started");
  const auto due = records(ran.json["run"], "step.due");
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0]["body"]["what"], "remind");
  EXPECT_NEAR(static_cast<double>(at(due[0]) - at(started[0])), kHour, 60'000);
  EXPECT_EQ(due[1]["body"]["what"], "deadline");
  EXPECT_NEAR(static_cast<double>(at(due[1]) - at(started[0])), 24 * kHour, 60'000);
}

TEST_F(RehearsalTime, WhatNobodyIsThereToAnswerEndsTheRehearsal) {
  const Outcome failed = run({"rehearse", gate("fail")}, home_.scratch());
  EXPECT_EQ(failed.exit, 1) << failed;
  EXPECT_NE(failed.out.find("nobody answered in time"), std::string::npos) << failed;
  const Outcome waits = run({"rehearse", gate("wait")}, home_.scratch());
  EXPECT_EQ(waits.exit, 4) << waits;
  EXPECT_NE(waits.out.find("owner is asked now"), std::string::npos) << waits;
}

TEST_F(RehearsalTime, PausesOfScriptsAndRetriesTakeNone) {
  use_example("plain");
  make_rehearsal_home();
  change("builder", [](Json& script) {
    Json& steps = script["turns"][0]["steps"];
    steps.insert(steps.begin(), Json::parse(R"({"sleep": "10m"})"));
  });
  change("reviewer", [](Json& script) {
    Json& turns = script["turns"];
    Json busy = turns[0];
    busy["steps"] = Json::parse(R"([{"error": {"status": 529, "message": "Overloaded", "retries": 0}}])");
    turns.insert(turns.begin(), busy);
  });
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  const auto ready = records(ran.json["run"], "run.team_ready");
  const auto done = records(ran.json["run"], "step.done");
  EXPECT_EQ(done[0]["body"]["step"], "implement");
  EXPECT_GE(at(done[0]) - at(ready[0]), 10 * 60'000);
  const auto due = records(ran.json["run"], "step.due");
  ASSERT_EQ(due.size(), 1U) << "the provider was asked again";
  EXPECT_GE(at(due[0]) - at(done[0]), 10'000);
}

TEST_F(RehearsalTime, ATurnThatTakesTooLongIsOver) {
  const std::string place = add_workflow("slow", R"(
name: slow
about: Takes too long.
team: { name: slow, scope: run }
roles:
  worker: { about: works }
phases:
  - { id: work, role: worker, template: work.md, returns: done.json, limit: 5m }
)");
  write_file(place + "/work.md", "Work.");
  write_file(place + "/done.json", R"({"type": "object"})");
  std::filesystem::create_directories(scripts_);
  write_file(scripts_ + "/worker.json", R"({"turns": [], "otherwise": [{"sleep": "1h"}, {"say": "{}"}]})");
  make_rehearsal_home();
  const Outcome ran = run({"run", place, "--driver", "script", "--scripts", scripts_, "--json"}, home_.scratch());
  EXPECT_EQ(ran.exit, 4) << ran;
  const Json asked = home_.ok({"inbox"})["questions"][0];
  EXPECT_EQ(asked["step"], "work/stuck") << asked;
  EXPECT_NE(asked["text"].get<std::string>().find("the turn took longer than 5 m"), std::string::npos) << asked;
  const auto failed = records(ran.json["run"], "step.failed");
  ASSERT_EQ(failed.size(), 3U) << "asked, asked again, a fresh agent";
  for (const auto& each : failed) EXPECT_EQ(each["body"]["fault"], "limit");
}

TEST_F(RehearsalTime, ASeedPermutesTheSameWayEachTime) {
  const std::string place = add_workflow("parallel", kParallel);
  write_file(place + "/work.md", "item-{{ITEM_NUMBER}}");
  write_file(place + "/done.json", R"({"type": "object"})");
  std::filesystem::create_directories(scripts_);
  write_file(scripts_ + "/worker.json", R"({"turns": [], "otherwise": [
      {"sleep": "1m"}, {"append": {"path": "order.txt", "text": "{{PROMPT}}\n"}}, {"say": "{\"done\": true}"}]})");
  std::set<std::string> orders;
  for (const char* seed : {"1", "2", "3", "4"}) {
    const std::string order = order_with_seed(place, seed);
    EXPECT_EQ(order.size(), 4U) << order;
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1U) << "different seeds make different orders";
  const std::string before = order_with_seed(place, "3");
  for (int again = 0; again < 3; ++again) EXPECT_EQ(order_with_seed(place, "3"), before);
  EXPECT_EQ(run({"rehearse", place, "--seed", "x"}, home_.scratch()).exit, 2);
}

}  // namespace
}  // namespace teamster::e2e
