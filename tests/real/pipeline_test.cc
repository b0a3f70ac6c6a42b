// The pipeline at its largest with a real Claude Code for one profile, the others scripted: it reads its skill, writes
// its file and signals, and its words pass every check that those of a script pass.
#include <gtest/gtest.h>

#include "real/real_run.h"

namespace teamster::real {
namespace {

constexpr const char* kComplexTask = "Let tally count characters and write JSON";
constexpr const char* kPipelineRun = "pipeline-20261118-0a0a";
constexpr const char* kRehearsal = TEAMSTER_SOURCE_DIR "/examples/tally/rehearsal";

// Skills of the researcher in the order in which they are met, the last first: a conversation that came to a later one
// still has the earlier in it.
constexpr std::pair<const char*, const char*> kSkills[] = {{"research-cc-verify", "p2-cc-verify.md"},
                                                           {"research-external", "p2-external.md"},
                                                           {"research-codebase", "p2-codebase.md"},
                                                           {"pre-design-feasibility", "p0-feasibility.md"}};

std::string place_of(const std::string& name) { return std::string("tasks/") + kPipelineRun + "/" + name; }

std::string filled(std::string text, const std::string& file) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"{{file}}", file}, {"{{iteration}}", "1"}})
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  return text;
}

// What the script of the rehearsal does for a skill, as calls of the model.
Json conversation_of_skill(const Json& script, const std::string& skill, const std::string& file) {
  const std::string begins = "the skill `" + skill + "` for this change: ";
  Turns turns;
  for (const auto& turn : script.at("turns")) {
    const std::string when = turn.at("when").at("contains");
    if (when != begins && when != begins + "\"" + kComplexTask + "\"") continue;
    for (const auto& raw : turn.at("steps")) {
      const Json step = Json::parse(filled(raw.dump(), file));
      if (step.contains("tool")) turns.push_back(call(step["tool"]["name"], step["tool"]["arguments"]));
      if (step.contains("write"))
        turns.push_back(
            expecting(call("Bash", {{"command", "mkdir -p $(dirname " + file + ") && cat > " + file + " <<'END'\n" +
                                                    step["write"]["text"].get<std::string>() + "END\n"},
                                    {"description", "write the file"}}),
                      "# " + skill));
      if (step.contains("send")) turns.push_back(call("send_message", step["send"]));
      if (step.contains("report")) turns.push_back(report(step["report"]));
    }
  }
  EXPECT_FALSE(turns.empty()) << skill;
  return {
      {"name", skill},
      {"match", {{"system_contains", "# You are a member of a pipeline"}, {"contains", "the skill `" + skill + "`"}}},
      {"turns", turns}};
}

TEST(PipelineOfRealAgents, OneReadsItsSkillWritesItsFileAndSignals) {
  const Json script = Json::parse(e2e::read_file(std::string(kRehearsal) + "/researcher.json"));
  Turns conversations;
  for (const auto& [skill, name] : kSkills)
    conversations.push_back(conversation_of_skill(script, skill, place_of(name)));
  RealRun spec(conversations, "examples/tally");
  e2e::Process run = spec.start({"run", "pipeline", kComplexTask, "--driver", "script", "--driver", "researcher=claude",
                                 "--scripts", kRehearsal, "--people", std::string(kRehearsal) + "/people.json",
                                 "--auth", "env", "--as", kPipelineRun, "--json"});
  const Outcome outcome = e2e::outcome_of(run, 3min);
  ASSERT_EQ(outcome.exit, 0) << outcome;
  EXPECT_TRUE(spec.server().surprises().empty()) << spec.server().surprises().front();
  for (const auto& [skill, name] : kSkills) {
    EXPECT_TRUE(e2e::read_file(spec.project() + "/" + place_of(name)).starts_with("---\ndomain: ")) << name;
    bool has_read = false;
    for (const auto& request : spec.server().requests()) {
      const std::string text = request.value("text", "");
      has_read = has_read || text.find("# " + std::string(skill)) != std::string::npos;
    }
    EXPECT_TRUE(has_read) << skill << ": its text came back to the model";
  }
  std::size_t signals = 0;
  for (const Json log = spec.home().ok({"log", "--kind", "message.sent"}); const auto& event : log.at("events")) {
    const Json& body = event["body"];
    if (body.value("kind", "") == "signal" && body.value("from", "").starts_with("researcher")) ++signals;
  }
  EXPECT_GE(signals, std::size(kSkills));
}

}  // namespace
}  // namespace teamster::real
