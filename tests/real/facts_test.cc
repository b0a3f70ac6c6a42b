// What we know of the program and rely on, as it was measured with the version that `dev` names: facts.txt. With
// another version the difference says what to look at before anything else does.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

using Facts = std::set<std::string>;

constexpr const char* kFlags[] = {"--allowedTools",
                                  "--append-system-prompt",
                                  "--disallowedTools",
                                  "--effort",
                                  "--input-format",
                                  "--mcp-config",
                                  "--model",
                                  "--output-format",
                                  "--permission-mode",
                                  "--print",
                                  "--resume",
                                  "--session-id",
                                  "--setting-sources",
                                  "--settings",
                                  "--strict-mcp-config",
                                  "--tools",
                                  "--verbose"};

e2e::Process start_alone(const std::string& scratch, const std::string& url, const Words& words) {
  Words command = {claude_program()};
  command.insert(command.end(), words.begin(), words.end());
  return e2e::Process(e2e::Start{
      .command = command,
      .environment = {"PATH=/usr/bin:/bin", "HOME=" + scratch, "TMPDIR=" + scratch, "CLAUDE_CONFIG_DIR=" + scratch,
                      "ANTHROPIC_API_KEY=" + key_of("alone"), "ANTHROPIC_BASE_URL=" + url,
                      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=false"}});
}

void add_flags(const std::string& scratch, Facts& facts) {
  e2e::Process help = start_alone(scratch, "", {"--help"});
  EXPECT_EQ(help.wait(), 0) << help.err();
  const std::string text = help.out();
  for (const char* flag : kFlags)
    if (text.find(flag) != std::string::npos) facts.insert(std::string("flag ") + flag);
}

// One turn with a tool: the lines it is told in, and what the last one has.
void add_lines(const std::string& text, Facts& facts) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const std::string type = json.value("type", "");
    facts.insert("line " + type + (json.contains("subtype") ? "/" + json.value("subtype", "") : ""));
    if (type != "result") continue;
    for (const auto& [key, value] : json.items()) facts.insert("result has " + key);
    facts.insert("result ends with " + json.value("terminal_reason", ""));
  }
}

Facts measured() {
  Facts facts;
  const e2e::Home home;
  add_flags(home.scratch(), facts);
  const model::RunningServer server(script_of({conversation_of("alone", {run("echo one"), say("two")})}));
  e2e::Process turn =
      start_alone(home.scratch(), server.url(),
                  {"-p", "go", "--verbose", "--output-format", "stream-json", "--allowedTools", "Bash"});
  EXPECT_EQ(turn.wait(), 0) << turn.out() << turn.err();
  add_lines(turn.out(), facts);
  const auto requests = server.requests_of(key_of("alone"));
  if (!requests.empty())
    for (const auto& tool : requests[0].at("tools")) facts.insert("tool " + tool.get<std::string>());
  return facts;
}

TEST(Facts, AreThoseThatWereMeasured) {
  Facts known;
  std::ifstream file(std::string(TEAMSTER_SOURCE_DIR) + "/tests/real/facts.txt");
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && !line.starts_with('#')) known.insert(line);
  const Facts now = measured();
  std::string differences;
  for (const auto& fact : known)
    if (!now.contains(fact)) differences += "- " + fact + "\n";
  for (const auto& fact : now)
    if (!known.contains(fact)) differences += "+ " + fact + "\n";
  EXPECT_TRUE(differences.empty()) << "what is different from tests/real/facts.txt:\n" << differences;
}

}  // namespace
}  // namespace teamster::real
