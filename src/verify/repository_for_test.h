// A repository in a directory of its own, on the real world, for the tests of this module: with git, and a loop that is
// driven until an answer comes. The user's git configuration is not in it. Owned by the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "env/real/temporary_directory_for_test.h"
#include "env/real/world.h"
#include "verify/bounded_program.h"
#include "verify/check_place.h"
#include "verify/verify_limits.h"

namespace teamster::verify {

class RepositoryTest : public testing::Test {
 protected:
  RepositoryTest() {
    ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  }

  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

  template <class T>
  T wait(const std::function<void(std::function<void(T)>)>& start) {
    std::optional<T> answer;
    start([&](T got) { answer.emplace(std::move(got)); });
    EXPECT_TRUE(view_.loop.run_until([&] { return answer.has_value(); }));
    return *std::move(answer);
  }

  ProgramEnd run(const std::string& command, Duration limit = kCheckMax,
                 OutputBounds bounds = {.head_bytes = 1024, .tail_bytes = 1024}) {
    std::unique_ptr<BoundedProgram> program;
    return wait<ProgramEnd>([&](std::function<void(ProgramEnd)> done) {
      auto started = BoundedProgram::start(view_,
                                           {.arguments = {"/bin/sh", "-c", command},
                                            .environment = view_.processes.environment(),
                                            .directory = directory_.path(),
                                            .limit = limit,
                                            .bounds = bounds},
                                           std::move(done));
      ASSERT_TRUE(started) << started.error().text();
      program = *std::move(started);
    });
  }

  void make_repository() {
    const auto made =
        run("git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && "
            "echo one > README && echo 'built*' > .gitignore && git add . && git commit -q -m first");
    ASSERT_TRUE(made.succeeded()) << made.output.text();
  }

  env::real::World world_;
  env::World view_ = world_.view();
  env::real::TemporaryDirectory directory_;
};

}  // namespace teamster::verify
