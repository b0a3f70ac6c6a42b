#include "e2e/ralph_project.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

void shell(const std::string& directory, const std::string& command) {
  Process process(Start{.command = {"/usr/bin/env", "-C", directory, "/bin/sh", "-c", command},
                        .environment = {"PATH=/usr/bin:/bin", "HOME=" + directory}});
  EXPECT_EQ(process.wait(), 0) << command << process.err();
}

Json turn(const std::string& contains, Json steps) {
  return {{"when", {{"contains", contains}}}, {"repeat", true}, {"steps", std::move(steps)}};
}

Json document(const std::string& name, const std::string& text) {
  const std::string path = fmt::format("specs/auth/{}.md", name);
  return Json::array({{{"write", {{"path", path}, {"text", text}}}},
                      {{"report", {{"status", "SUCCESS"}, {"path", path}, {"summary", name}}}}});
}

Json finding(int number) {
  const std::string path = fmt::format("specs/auth/.research-{}.md", number);
  return Json::array({{{"write", {{"path", path}, {"text", fmt::format("finding {}\n", number)}}}},
                      {{"report", {{"status", "SUCCESS"}, {"path", path}, {"summary", "found"}}}}});
}

}  // namespace

RalphProject::RalphProject(const Home& home)
    : home_(home), path_(home.scratch() + "/project"), scripts_(home.scratch() + "/scripts") {
  fs::create_directories(path_ + "/specs/auth");
  fs::create_directories(path_ + "/src");
  fs::create_directories(scripts_);
  write_file(path_ + "/README.md", "# A project\n");
  write_file(path_ + "/specs/auth/goal.md", "Goal: people can log in\n");
  shell(path_, "git init -q . && git config user.name Ada && git config user.email ada@example.org");
}

void RalphProject::set_topics(int count) { topics_ = count; }

void RalphProject::set_tasks(const std::vector<std::string>& tasks) { tasks_ = tasks; }

Json RalphProject::good_steps(int task) {
  const std::string path = fmt::format("src/{}.txt", task);
  const std::string command = fmt::format(
      "T=$(grep -x 'Ralph-Task: .*/{0}' .git/task-{0} | head -n 1) && {{ flock .git/commits git add {1}; flock "
      ".git/commits git commit -qm 'task {0}' -m \"$T\" -- {1} || true; }} >/dev/null 2>&1; "
      "printf %s \"$(git log -1 --format=%H --grep=\"^$T\\$\")\"",
      task, path);
  return Json::array(
      {{{"write", {{"path", fmt::format(".git/task-{}", task)}, {"text", "{{PROMPT}}"}}}},
       {{"write", {{"path", path}, {"text", "done\n"}}}},
       {{"run", {{"command", command}, {"expect_exit", 0}, {"save", "commit"}}}},
       {{"report",
         {{"signal", "TASK_COMPLETE"}, {"summary", "done"}, {"commit", "{{commit}}"}, {"manual_action", false}}}}});
}

void RalphProject::write_scripts() const {
  Json topics = Json::array();
  Json findings = Json::array();
  for (int number = 1; number <= topics_; ++number) {
    topics.push_back(
        {{"topic", fmt::format("question {}", number)}, {"role", number % 2 == 1 ? "researcher" : "analyst"}});
    Json steps = finding(number);
    if (const auto own = topic_steps_.find(number); own != topic_steps_.end())
      steps.insert(steps.begin(), own->second.begin(), own->second.end());
    findings.push_back(turn(fmt::format(".research-{}.md`, and nowhere else", number), steps));
  }
  const Json author = Json::array(
      {turn("goal.md`: its first line", document("goal", "Goal: people can log in\n")),
       turn("Split what has to be found out",
            Json::array({{{"report", {{"status", "SUCCESS"}, {"summary", "split"}, {"topics", topics}}}}})),
       turn("Merge the files",
            Json::array(
                {{{"run", "cat specs/auth/.research-*.md > specs/auth/research.md"}},
                 {{"report", {{"status", "SUCCESS"}, {"path", "specs/auth/research.md"}, {"summary", "merged"}}}}}))});
  Json executor = Json::array();
  for (int task = 1; task <= static_cast<int>(tasks_.size()); ++task) {
    const auto own = turns_.find(task);
    if (own == turns_.end())
      executor.push_back(turn(fmt::format("Task {} of the spec auth", task), good_steps(task)));
    else
      for (const auto& each : own->second) executor.push_back(each);
  }
  for (const auto& [name, turns] : std::map<std::string, Json>{
           {"author", author}, {"researcher", findings}, {"analyst", findings}, {"executor", executor}})
    write_file(fmt::format("{}/{}.json", scripts_, name), Json{{"turns", turns}}.dump());
}

void RalphProject::write_all() {
  write_scripts();
  std::string checklist;
  for (const auto& task : tasks_) checklist += fmt::format("- [ ] {}\n", task);
  if (!tasks_.empty()) write_file(path_ + "/specs/auth/tasks.md", "# Tasks\n\n" + checklist);
  if (!config_.empty()) {
    fs::create_directories(path_ + "/.teamster");
    write_file(path_ + "/.teamster/config.yaml", config_);
  }
  shell(path_, "git add -A && git commit -q --allow-empty -m begin");
}

RalphProject::Played RalphProject::play(const Words& words, const Words& flags) {
  write_all();
  Played played;
  played.kept = fmt::format("{}/kept-{}", home_.scratch(), ++plays_);
  played.home = played.kept + "/.git/rehearsal/home";
  Words command = {"rehearse", "ralph"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--project", path_, "--script", scripts_, "--keep", played.kept});
  command.insert(command.end(), flags.begin(), flags.end());
  played.outcome = home_.run(command, {.limit = Milliseconds(120'000)});
  return played;
}

Process RalphProject::start(const Words& words) const {
  Start start;
  start.command = {"/usr/bin/env", "-C", path_, TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
  return Process(start);
}

Outcome RalphProject::run(const Words& words) const {
  Process process = start(words);
  return outcome_of(process);
}

std::string RalphProject::Played::file(const std::string& name) const {
  const std::string path = kept + "/" + name;
  return fs::exists(path) ? read_file(path) : std::string();
}

Json RalphProject::Played::state() const { return Json::parse(file("specs/auth/.ralph-state.json"), nullptr, false); }

std::vector<std::string> RalphProject::Played::done() const {
  Process log(Start{
      .command = {"/usr/bin/env", "-C", kept, "/bin/sh", "-c", "git log --format=%B | sed -n 's|^Ralph-Task: .*/||p'"},
      .environment = {"PATH=/usr/bin:/bin", "HOME=" + kept}});
  EXPECT_EQ(log.wait(), 0) << log.err();
  std::vector<std::string> tasks;
  std::istringstream lines(log.out());
  for (std::string line; std::getline(lines, line);) tasks.push_back(line);
  std::sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
  return tasks;
}

}  // namespace teamster::e2e
