#include "kill/scene.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::kill {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kInterruptionsMax = 5;

std::string without_hashes(const std::string& text) {
  static const std::regex kHash("[0-9a-f]{40}");
  return std::regex_replace(text, kHash, "HASH");
}

bool is_of_hub(const std::string& kind) {
  return kind == "run.leased" || kind == "run.renewed" || kind == "run.released" || kind == "run.told";
}

// Of the process itself: where it is, how it was started, and its environment.
bool mentions(const fs::path& process, const std::string& place) {
  std::error_code error;
  const fs::path directory = fs::read_symlink(process / "cwd", error);
  if (!error && directory.string().starts_with(place)) return true;
  return e2e::read_file(process / "cmdline").find(place) != std::string::npos ||
         e2e::read_file(process / "environ").find(place) != std::string::npos;
}

std::vector<pid_t> processes_of(const std::string& place) {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc() || pid == ::getpid()) continue;
    if (mentions(entry.path(), place)) found.push_back(pid);
  }
  return found;
}

}  // namespace

Scene::Scene() : project_(home_.scratch() + "/project") {
  const fs::path example = fs::path(TEAMSTER_SOURCE_DIR) / "examples" / "plain";
  fs::copy(example, project_, fs::copy_options::recursive);
  fs::rename(project_ + "/rehearsal", home_.scratch() + "/scripts");
  EXPECT_EQ(shell("git init -q . && git config user.name Kill && git config user.email kill@localhost && "
                  "git add -A && git commit -q -m 'chore: begin'"),
            0);
}

int Scene::shell(const std::string& command, std::string* out) const {
  e2e::Process process(e2e::Start{{"/bin/sh", "-c", "cd \"$0\" && " + command, project_},
                                  {"HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"}});
  const int exit = process.wait().value_or(-1);
  if (out != nullptr) *out = process.out();
  return exit;
}

int Scene::teamster(e2e::Words words) {
  e2e::Start start;
  start.command = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", project_, TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
  e2e::Process process(start);
  const auto exit = process.wait();
  said_ += fmt::format("$ teamster {}\n{}{}", fmt::join(words, " "), process.out(), process.err());
  EXPECT_TRUE(exit) << "it hangs:\n" << said_;
  return exit.value_or(-1);
}

e2e::Words Scene::run_words() const {
  return {"run", "implement-spec", "01", "--driver", "script", "--scripts", home_.scratch() + "/scripts"};
}

void Scene::play(const std::string& fault) {
  e2e::Words words = run_words();
  if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
  int exit = teamster(words);
  while (exit != 0 && !has_ended()) {
    ASSERT_LT(++interruptions_, kInterruptionsMax) << said_;
    // Both ways to go on.
    const bool can_resume = !run().empty() && interruptions_ % 2 == 1;
    exit = teamster(can_resume ? e2e::Words{"resume"} : run_words());
  }
  EXPECT_TRUE(has_ended()) << said_;
}

std::string Scene::run() const {
  // It says with its exit code that there is none.
  const Json status = home_.run({"status", "--all", "--json"}).json;
  return !status.is_object() || status.at("runs").empty() ? "" : status.at("runs").at(0).at("run").get<std::string>();
}

bool Scene::has_ended() const {
  if (run().empty()) return false;
  const auto records = journal();
  return !records.empty() && records.back().at("kind") == "run.ended";
}

std::vector<Json> Scene::journal() const { return home_.ok({"log", run()}).at("events").get<std::vector<Json>>(); }

Traces Scene::traces() const {
  Traces traces;
  for (const auto& entry : fs::recursive_directory_iterator(project_)) {
    const std::string path = fs::relative(entry.path(), project_);
    if (entry.is_regular_file() && !path.starts_with(".git/"))
      traces.files[path] = without_hashes(e2e::read_file(entry.path()));
  }
  std::string log;
  EXPECT_EQ(shell("git log --format='%s%d'", &log), 0);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) traces.commits.push_back(line);
  EXPECT_EQ(shell("git status --porcelain", &traces.dirt), 0);
  return traces;
}

std::vector<pid_t> Scene::left_over() const {
  (void)home_.run({"hub", "--stop"});
  std::vector<pid_t> left;
  e2e::eventually(
      [&] {
        left = processes_of(home_.scratch());
        return left.empty();
      },
      5s);
  return left;
}

std::vector<std::string> points_of(const std::vector<Json>& journal) {
  std::vector<std::string> points;
  for (const auto& event : journal) {
    const std::string kind = event.at("kind");
    if (is_of_hub(kind)) continue;
    const Json& body = event.at("body");
    const std::string step = kind == "run.started" ? "" : body.value("step", "");
    const std::string where =
        step.empty() ? kind : fmt::format("{}:{}.{}", kind, step, body.value("attempt", std::int64_t{0}));
    points.push_back(where + ":before");
    points.push_back(where + ":after");
  }
  return points;
}

}  // namespace teamster::kill
