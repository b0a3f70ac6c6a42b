// RunsForTest: runs for tests of the commands that look at them: the hub's real rules on a store in
// memory, and journals made by the real core from a small workflow. What an engine would do a
// test does itself.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/framework/outside_for_test.h"
#include "engine/run_setup.h"
#include "team/rules_for_test.h"
#include "workflow/core/run_for_test.h"
#include "workflow/format/load.h"

namespace teamster::cli {

inline constexpr const char* kRun = "small-20261116-1a2b";

inline workflow::Bundle small_bundle() {
  return {{"workflow.yaml", R"(
name: small
about: Something to build, to approve and to choose.
args:
  what: { about: what to build }
roles:
  builder: { about: builds }
loops:
  rounds: { max: 2, then: block }
phases:
  - id: build
    role: builder
    template: build.md
    returns: build.json
  - id: approve
    kind: gate
    question: { text: 'Is {{args/what}} right?', to: kim, deadline: 2h }
    on:
      - { when: { approved: false }, goto: build, loop: rounds }
  - id: which
    kind: ask
    question: { text: 'Which way?', options: [left, right] }
)"},
          {"build.md", "Build it."},
          {"build.json", R"({"type": "object"})"}};
}

inline workflow::Pinned small_workflow(const std::string& run = kRun) {
  workflow::Pinned pinned;
  pinned.run = run;
  pinned.bundle = small_bundle();
  const workflow::Loaded loaded = workflow::load_workflow(pinned.bundle);
  for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.text();
  if (loaded.workflow) pinned.workflow = *loaded.workflow;
  return pinned;
}

class RunsForTest : public testing::Test {
 protected:
  RunsForTest() {
    rules_.now = outside_.now;
    outside_.hub = [this](const hub::Request& request) {
      auto answer = rules_.call(request.op, request.args);
      if (answer && after_call_) after_call_(request);
      return answer;
    };
    outside_.world = [this] { return terminal_.view(); };
    outside_.variables["TEAMSTER_HOME"] = home_.path();
    outside_.variables["USER"] = "kim";
  }

  // Writes what the core decided so far; `is_held`: by a process that lives.
  void record(const workflow::RunForTest& run, bool is_held, const std::string& name = kRun) {
    auto& recorded = recorded_[name];
    for (; recorded < run.records.size(); ++recorded) {
      const auto& record = run.records[recorded];
      recorded == 0 ? start(name, record, is_held) : append(name, std::string(record.event.kind()), body_of(record));
    }
  }
  void append(const std::string& name, const std::string& kind, const Json& body) {
    const Json row = *rules_.call("run.get", {{"run", name}});
    Json records = Json::array();
    records.push_back({{"kind", kind}, {"body", body}});
    const auto appended =
        rules_.call("run.append", {{"run", name}, {"lease", row["lease"]}, {"after", row["n"]}, {"records", records}});
    ASSERT_TRUE(appended) << appended.error().text();
  }
  void save_bundle(const std::string& name = kRun) {
    ASSERT_TRUE(engine::save_bundle(terminal_.view().files, home_, name, small_bundle()));
  }
  // Up to the gate.
  workflow::RunForTest at_the_gate(const std::string& name = kRun) {
    workflow::RunForTest run(small_workflow(name));
    run.start({{"args", {{"what", "the parser"}}}});
    run.done("build", {{"status", "SUCCESS"}},
             Json::parse(R"({"usage":{"input_tokens":1000,"output_tokens":200,"cost_usd":0.25}})"));
    return run;
  }
  static bool says(const CapturedOutput& output, const std::string& text) {
    return output.captured.find(text) != std::string::npos;
  }

  FakeOutside outside_;
  team::Rules rules_;
  env::sim::Host& terminal_ = rules_.world().start("terminal");
  hub::Home home_{"/home/user/teamster"};
  // What others do when a request has been answered.
  std::function<void(const hub::Request&)> after_call_;

 private:
  void start(const std::string& name, const workflow::RunRecord& record, bool is_held) {
    const auto self = rules_.scene().processes.self();
    const std::int64_t pid = is_held ? self.pid : 999'999;
    Json body = body_of(record);
    body.update(engine::RunSetup{"/home/user/project", workflow::digest(small_bundle()), "", {}, ""}.json());
    Json args = {{"run", name}, {"workflow", "small"}};
    args["holder"] = {{"pid", pid}, {"start", self.start_ticks}, {"boot", self.boot_id}};
    args["body"] = std::move(body);
    const auto started = rules_.call("run.start", args);
    ASSERT_TRUE(started) << started.error().text();
  }

  std::map<std::string, std::size_t> recorded_;
};

}  // namespace teamster::cli
