#include "e2e/fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "base/check.h"

namespace teamster::e2e {
namespace {

std::string make_scratch(std::optional<uid_t> uid) {
  std::string path = "/tmp/teamster-e2e-XXXXXX";
  CHECK(::mkdtemp(path.data()) != nullptr);
  if (uid) CHECK(::chown(path.c_str(), *uid, *uid) == 0);
  return path;
}

bool is_hub(pid_t pid) {
  const auto arguments = arguments_of(pid);
  return arguments.size() == 2 && arguments[1] == "hub";
}

}  // namespace

std::string Outcome::error(const char* field) const {
  const auto error = json.is_object() ? json.find("error") : json.end();
  return error != json.end() && error->is_object() ? error->value(field, "") : "";
}

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << "exit " << outcome.exit << "\nstdout: " << outcome.out.substr(0, 2000)
                << "\nstderr: " << outcome.err.substr(0, 2000) << "\n";
}

Home::Home(std::optional<uid_t> uid) : Home("home", uid) {}

Home::Home(const std::string& place, std::optional<uid_t> uid)
    : scratch_(make_scratch(uid)), path_(scratch_ + "/" + place), uid_(uid) {}

Home::~Home() {
  // A client that was just ended may have started one more hub: look until twice there is nobody.
  int quiet = 0;
  const bool ended = eventually([&] {
    const auto left = processes_with("TEAMSTER_HOME=" + path_);
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    quiet = left.empty() ? quiet + 1 : 0;
    return quiet >= 2;
  });
  EXPECT_TRUE(ended) << "a process of " << path_ << " cannot be ended";
  std::error_code error;
  std::filesystem::remove_all(scratch_, error);
  EXPECT_FALSE(error) << scratch_ << ": " << error.message();
}

Process Home::start(const Words& words, const RunOptions& options) const {
  Start start;
  start.command = {TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + path_, "HOME=" + scratch_, "PATH=/usr/bin:/bin"};
  start.environment.insert(start.environment.end(), options.environment.begin(), options.environment.end());
  start.input = options.input;
  start.close_input = options.close_input;
  start.uid = uid_;
  return Process(start);
}

Outcome outcome_of(Process& process, Milliseconds limit) {
  Outcome outcome;
  outcome.exit = process.wait(limit).value_or(-1);
  outcome.out = process.out();
  outcome.err = process.err();
  outcome.json = Json::parse(outcome.out, nullptr, false);
  if (outcome.json.is_discarded()) outcome.json = nullptr;
  return outcome;
}

Outcome Home::run(const Words& words, const RunOptions& options) const {
  Process process = start(words, options);
  return outcome_of(process, options.limit);
}

Json Home::ok(Words words, const RunOptions& options) const { return fails(0, std::move(words), options).json; }

Outcome Home::fails(int exit, Words words, const RunOptions& options) const {
  words.insert(std::find(words.begin(), words.end(), "--"), "--json");
  Outcome outcome = run(words, options);
  std::string line;
  for (const auto& word : words) line += " " + word.substr(0, 80);
  EXPECT_EQ(outcome.exit, exit) << line << "\n" << outcome;
  EXPECT_TRUE(outcome.json.is_object()) << line << "\n" << outcome;
  return outcome;
}

void Home::create_team(const std::string& team, const Words& members) const {
  Words words = {"team", "create", team};
  for (const auto& member : members) words.insert(words.end(), {"--member", member});
  ok(words);
}

std::int64_t Home::send(const std::string& team, const std::string& from, const std::string& to,
                        const std::string& text) const {
  return ok({"message", "send", "--team", team, "--from", from, "--to", to, text}).value("id", std::int64_t{0});
}

std::vector<Json> Home::inbox(const std::string& team, const std::string& member, const Words& flags) const {
  Words words = {"message", "inbox", "--team", team, "--member", member};
  words.insert(words.end(), flags.begin(), flags.end());
  const Json answer = ok(words);
  return answer.is_object() ? answer.value("messages", std::vector<Json>()) : std::vector<Json>();
}

std::string Home::token_file(const std::string& team, const std::string& member) const {
  return as_hub_home().token_file(team, member);
}

bool Home::store_is_sound() const {
  // Other checks may fail: runs that a test makes up have no workflow.
  const Outcome examined = run({"doctor", "--deep", "--json"});
  if (!examined.json.is_object()) return false;
  for (const auto& check : examined.json["checks"])
    if (check["name"] == "store") return check["status"] == "ok";
  return false;
}

std::vector<Json> Home::events(const std::string& kind) const {
  const Json answer = ok({"log", "--kind", kind});
  return answer.is_object() ? answer.value("events", std::vector<Json>()) : std::vector<Json>();
}

std::vector<pid_t> Home::hub_pids() const {
  auto pids = processes_with("TEAMSTER_HOME=" + path_);
  std::erase_if(pids, [](pid_t pid) { return !is_hub(pid); });
  return pids;
}

pid_t Home::hub_pid() const {
  ok({"team", "list"});
  return ok({"hub", "--status"}).value("pid", -1);
}

void Home::end_hub(int signal) const {
  for (const pid_t pid : hub_pids()) {
    ::kill(pid, signal);
    EXPECT_TRUE(has_ended(pid)) << "the hub did not end by signal " << signal;
  }
}

int Home::kill_hubs() const {
  int killed = 0;
  for (const pid_t pid : hub_pids()) killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
  return killed;
}

std::string why_not_as_nobody() {
  if (::geteuid() != 0) return "";
  Process probe(Start{.command = {TEAMSTER_BINARY, "--version"}, .environment = {}, .uid = kNobody});
  return probe.wait() == 0 ? "" : "the user nobody cannot run " TEAMSTER_BINARY;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

}  // namespace teamster::e2e
