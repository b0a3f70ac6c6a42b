#include "e2e/hosted_agent.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::e2e {

HostedAgent::HostedAgent(const std::string& driver)
    : driver_(driver), work_(home_.scratch() + "/work"), script_(home_.scratch() + "/play.json") {
  std::filesystem::create_directory(work_);
  const std::string fake = home_.scratch() + "/claude";
  write_file(fake, fmt::format("#!/bin/sh\nexec '{}' script-agent --script '{}' --place '{}/place' \"$@\"\n",
                               TEAMSTER_BINARY, script_, home_.scratch()));
  ::chmod(fake.c_str(), 0755);
  home_.create_team("alpha", {"builder", "tester"});
}

void HostedAgent::script(const std::vector<Json>& turns, const Json& otherwise) const {
  Json list = Json::array();
  for (const auto& steps : turns) list.push_back({{"steps", steps}});
  whole_script({{"turns", list}, {"otherwise", otherwise}});
}

RunOptions HostedAgent::options() const {
  RunOptions options{.environment = variables_};
  options.environment.push_back("TEAMSTER_CLAUDE=" + home_.scratch() + "/claude");
  return options;
}

void HostedAgent::lose_conversations() const {
  const std::string place = driver_ == "script" ? home_.file("teams/alpha/builder/script") : home_.scratch() + "/place";
  ASSERT_GT(std::filesystem::remove_all(place), 1U) << "there was nothing to lose in " << place;
}

Json HostedAgent::start(const Words& more) {
  Words words = {"agent",    "start", "--team", "alpha", "--member", "builder",
                 "--driver", driver_, "--cwd",  work_,   "--detach"};
  if (driver_ == "script") words.insert(words.end(), {"--script", script_});
  words.insert(words.begin() + 2, "--json");  // `more` may end with a command of its own
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = home_.run(words, options());
  EXPECT_EQ(outcome.exit, 0) << outcome;
  return outcome.json;
}

Outcome HostedAgent::fails_to_start(int exit, const Words& more) {
  Words words = {"agent", "start", "--team", "alpha", "--member", "builder"};
  words.insert(words.end(), more.begin(), more.end());
  return home_.fails(exit, words, options());
}

Outcome HostedAgent::say(const std::string& text, const Words& more) {
  Words words = {"agent", "say", "--team", "alpha", "--member", "builder", "--timeout", "40s", "--json", text};
  words.insert(words.end(), more.begin(), more.end());
  return home_.run(words);
}

std::int64_t HostedAgent::tell(const std::string& text, const Words& more) {
  Words words = {"agent", "say", "--team", "alpha", "--member", "builder", "--no-wait", text};
  words.insert(words.end(), more.begin(), more.end());
  return home_.ok(words).at("id");
}

Json HostedAgent::listed() {
  const Json list = home_.ok({"agent", "list", "--team", "alpha"});
  for (const auto& agent : list.at("agents"))
    if (agent.at("member") == "builder") return agent;
  return Json::object();
}

pid_t HostedAgent::keeper() {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", host()));
  for (pid_t pid = 0; children >> pid;)
    if (const Words words = arguments_of(pid); words.size() > 1 && words[1] == "keeper") return pid;
  return 0;
}

std::string HostedAgent::receipt(std::int64_t message) {
  return home_.ok({"message", "receipt", "--team", "alpha", std::to_string(message)}).at("message").at("receipt");
}

bool HostedAgent::has_receipt(std::int64_t message, const std::string& wanted) {
  return eventually([&] { return receipt(message) == wanted; });
}

bool HostedAgent::is_working() {
  return eventually([&] { return listed().value("state", "") == "working"; });
}

std::vector<Json> HostedAgent::transcript(const std::string& kind) const {
  std::vector<Json> entries;
  std::istringstream lines(read_file(home_.file("teams/alpha/builder/transcript.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("kind", "") == kind) entries.push_back(entry);
  }
  return entries;
}

std::vector<pid_t> HostedAgent::processes() const {
  auto pids = processes_with("TEAMSTER_HOME=" + home_.path());
  const auto hubs = home_.hub_pids();
  std::erase_if(pids, [&](pid_t pid) { return std::find(hubs.begin(), hubs.end(), pid) != hubs.end(); });
  return pids;
}

bool HostedAgent::nothing_is_left() const {
  return eventually([&] { return processes().empty(); });
}

std::string HostedAgent::leftovers() const {
  std::string text;
  for (const pid_t pid : processes()) text += fmt::format("{}: {}\n", pid, join(arguments_of(pid), " "));
  return text;
}

}  // namespace teamster::e2e
