#include "real/real_team.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/check.h"
#include "base/text.h"
#include "keeper/process_tree.h"

namespace teamster::real {
namespace {

bool concerns(const Json& body, std::int64_t message) {
  const Json ids = body.value("ids", Json::array());
  return std::find(ids.begin(), ids.end(), Json(message)) != ids.end();
}

// One word for an event of the journal; empty when it is about something else.
std::string word_of(const Json& event, const std::string& member, std::int64_t message) {
  const std::string kind = event.value("kind", "");
  const Json& body = event.at("body");
  if (kind == "member.turn" && body.value("member", "") == member)
    return body.value("running", false) ? "turn began" : "turn ended";
  if (kind == "message.sent" && event.value("seq", std::int64_t{0}) == message) return "sent";
  if (!concerns(body, message)) return "";
  if (kind == "message.marked") return body.value("mark", "");
  return kind.starts_with("message.") ? kind.substr(8) : "";
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words say_words(const std::string& member, const std::string& text, const Words& more) {
  return with({"agent", "say", "--team", kTeam, "--member", member, text}, more);
}

}  // namespace

std::string claude_program() {
  const char* program = std::getenv("TEAMSTER_CLAUDE");
  CHECK(program != nullptr);  // main.cc has looked
  return program;
}

Json document_of(const e2e::Process& process) {
  const Json document = Json::parse(process.out(), nullptr, false);
  EXPECT_TRUE(document.is_object()) << process.out() << process.err();
  return document.is_object() ? document : Json::object();
}

RealTeam::RealTeam(const Words& members, const Turns& conversations)
    : server_(std::make_unique<model::RunningServer>(script_of(conversations))), work_(home_.scratch() + "/work") {
  std::filesystem::create_directory(work_);
  home_.create_team(kTeam, members);
}

std::string RealTeam::private_directory(const std::string& member) const {
  return home_.as_hub_home().member_directory(kTeam, member);
}

void RealTeam::end_server() { server_->process().kill(SIGKILL); }

void RealTeam::start_server_again(const Turns& conversations) {
  const auto port = server_->port();
  server_.reset();
  server_ = std::make_unique<model::RunningServer>(script_of(conversations), port);
}

Json RealTeam::start(const std::string& member, const Words& more) {
  e2e::RunOptions options;
  options.environment = {"TEAMSTER_CLAUDE=" + claude_program(), "ANTHROPIC_BASE_URL=" + server_->url(),
                         "ANTHROPIC_API_KEY=" + key_of(member)};
  return home_.ok(with({"agent", "start", "--team", kTeam, "--member", member, "--driver", "claude", "--auth", "env",
                        "--cwd", work_, "--detach"},
                       more),
                  options);
}

Json RealTeam::say_to(const std::string& member, const std::string& text, const Words& more) {
  return home_.ok(say_words(member, text, more));
}

Outcome RealTeam::say_in_vain(const std::string& member, const std::string& text, const Words& more) {
  return home_.fails(1, say_words(member, text, more));
}

e2e::Process RealTeam::say_aside(const std::string& member, const std::string& text, const Words& more) {
  return home_.start(with(say_words(member, text, more), {"--json"}));
}

std::int64_t RealTeam::tell(const std::string& member, const std::string& text) {
  return say_to(member, text, {"--no-wait"}).value("id", std::int64_t{0});
}

Json RealTeam::stop(const std::string& member) {
  return home_.ok({"agent", "stop", "--team", kTeam, "--member", member});
}

Json RealTeam::listed(const std::string& member) {
  const Json answer = home_.ok({"agent", "list", "--team", kTeam});
  for (const auto& agent : answer.value("agents", Json::array()))
    if (agent.value("member", "") == member) return agent;
  return nullptr;
}

bool RealTeam::has_state(const std::string& member, const std::string& state) {
  return eventually([&] { return listed(member).value("state", "") == state; });
}

pid_t RealTeam::agent_of(const std::string& member) {
  const pid_t pid = listed(member).value("agent_pid", 0);
  EXPECT_GT(pid, 1) << member << " has no agent";
  return pid;
}

pid_t RealTeam::host_of(const std::string& member) {
  const pid_t pid = listed(member).value("host_pid", 0);
  EXPECT_GT(pid, 1) << member << " has no host";
  return pid;
}

// The keeper has nothing of the home in its environment; its children have its name.
pid_t RealTeam::keeper_of(const std::string& member) {
  const auto mark = keeper::variable_of(agent_of(member), keeper::kKeeperVariable);
  const pid_t pid = mark ? std::atoi(mark->c_str()) : 0;
  EXPECT_GT(pid, 1) << member << " has no keeper";
  return pid;
}

bool RealTeam::has_agent_after(const std::string& member, pid_t earlier) {
  return eventually([&] {
    const pid_t now = listed(member).value("agent_pid", 0);
    return now != 0 && now != earlier;
  });
}

std::string RealTeam::receipt_of(std::int64_t message) {
  return home_.ok({"message", "receipt", "--team", kTeam, std::to_string(message)})["message"].value("receipt", "");
}

bool RealTeam::has_receipt(std::int64_t message, const std::string& receipt) {
  return eventually([&] { return receipt_of(message) == receipt; }, e2e::kPatience);
}

Words RealTeam::story_of(const std::string& member, std::int64_t message) {
  Words story;
  const Json journal = home_.ok({"log", kTeam});
  for (const auto& event : journal.at("events")) {
    const std::string word = word_of(event, member, message);
    if (!word.empty()) story.push_back(word);
  }
  return story;
}

std::vector<Json> RealTeam::transcript_of(const std::string& member, const std::string& kind) {
  const Outcome shown =
      home_.run({"agent", "attach", "--team", kTeam, "--member", member, "--no-follow", "--lines", "10000", "--json"});
  EXPECT_EQ(shown.exit, 0) << shown;
  std::vector<Json> entries;
  std::istringstream lines(shown.out);
  for (std::string line; std::getline(lines, line);) {
    Json entry = Json::parse(line, nullptr, false);
    EXPECT_TRUE(entry.is_object()) << line;
    if (entry.is_object() && entry.value("kind", "") == kind) entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Json> RealTeam::requests_of(const std::string& member) const {
  return server_->requests_of(key_of(member));
}

bool RealTeam::has_requests(const std::string& member, std::size_t count) const {
  return eventually([&] { return requests_of(member).size() >= count; }, e2e::kPatience);
}

std::vector<pid_t> RealTeam::processes(const std::string& text) const {
  auto pids = e2e::processes_with("TEAMSTER_HOME=" + home_.path());
  const auto hubs = home_.hub_pids();
  std::erase_if(pids, [&](pid_t pid) {
    const bool is_hub = std::find(hubs.begin(), hubs.end(), pid) != hubs.end();
    return is_hub || join(e2e::arguments_of(pid), " ").find(text) == std::string::npos;
  });
  return pids;
}

bool RealTeam::nothing_is_left(Milliseconds limit) const {
  return eventually([&] { return processes().empty(); }, limit);
}

std::string RealTeam::leftovers() const {
  std::string lines;
  for (const pid_t pid : processes())
    lines += std::to_string(pid) + ": " + join(e2e::arguments_of(pid), " ").substr(0, 200) + "\n";
  return lines;
}

}  // namespace teamster::real
