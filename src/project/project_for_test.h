// A project in a directory of its own, on the real world, for the tests of this module: with
// files, with git, and a loop that is driven until an answer comes. Owned by the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "env/processes.h"
#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"
#include "project/git_program.h"
#include "project/program.h"

namespace teamster::engine {

// The real processes with another environment, so that the user's git configuration is not in the test.
class ProcessesElsewhere : public env::Processes {
 public:
  explicit ProcessesElsewhere(env::Processes& others) : others_(others) {}
  Result<std::unique_ptr<env::Child>> spawn(const env::Spawn& spawn) override { return others_.spawn(spawn); }
  Result<std::int64_t> spawn_detached(const env::Spawn& spawn) override { return others_.spawn_detached(spawn); }
  env::ProcessIdentity self() override { return others_.self(); }
  std::optional<env::ProcessIdentity> identify(std::int64_t pid) override { return others_.identify(pid); }
  bool is_alive(const env::ProcessIdentity& identity) override { return others_.is_alive(identity); }
  std::optional<env::SeenProcess> look_at(std::int64_t pid) override { return others_.look_at(pid); }
  std::vector<std::string> arguments_of(std::int64_t pid) override { return others_.arguments_of(pid); }
  std::optional<std::string> variable(const char* name) override {
    const std::string start = std::string(name) + "=";
    for (const auto& variable : variables)
      if (variable.starts_with(start)) return variable.substr(start.size());
    return std::nullopt;
  }
  std::vector<std::string> environment() override { return variables; }
  std::string own_executable() override { return others_.own_executable(); }

  std::vector<std::string> variables;

 private:
  env::Processes& others_;
};

class ProjectTest : public testing::Test {
 protected:
  ProjectTest() {
    processes_.variables = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home_.path(), "GIT_CONFIG_NOSYSTEM=1"};
  }

  const std::string& path() const { return directory_.path(); }
  std::string path(const std::string& name) const { return path() + "/" + name; }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

  // Starts something and drives the loop until it calls back.
  template <class T>
  T wait(const std::function<void(std::function<void(T)>)>& start) {
    std::optional<T> answer;
    start([&](T got) { answer.emplace(std::move(got)); });
    EXPECT_TRUE(view_.loop.run_until([&] { return answer.has_value(); }));
    return *std::move(answer);
  }

  // What a command printed, run in the project.
  std::string shell(const std::string& command) {
    std::unique_ptr<Program> program;
    const auto outcome = wait<ProgramOutcome>([&](std::function<void(ProgramOutcome)> done) {
      auto started = Program::start(view_, shell_command(view_, command, path()), done);
      EXPECT_TRUE(started);
      if (started) program = *std::move(started);
    });
    EXPECT_TRUE(outcome.succeeded()) << command << ": " << outcome.output;
    std::string text = outcome.output;
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  void make_repository() {
    shell(
        "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org &&"
        "echo one > README && git add . && git commit -q -m first");
  }

  env::real::World world_;
  ProcessesElsewhere processes_{world_.view().processes};
  env::World view_{world_.view().clock,   world_.view().loop, world_.view().files,
                   world_.view().network, processes_,         world_.view().random};
  env::real::TemporaryDirectory home_;
  env::real::TemporaryDirectory directory_;
};

}  // namespace teamster::engine
