// The benchmark: measures teamster beside what it replaces and beside the limit, in one
// run on one disk; prints a table, checks the targets, writes the figures as JSON.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/agents.h"
#include "bench/engine.h"
#include "bench/rounds.h"
#include "bench/targets.h"

namespace teamster::bench {
namespace {

constexpr const char* kUsage =
    "usage: teamster_bench [--quick] [--rounds N] [--only "
    "messages|claims|wakeup|command|agents|mcp|engine|verify|teams] "
    "[--out "
    "FILE] "
    "[--binary "
    "TEAMSTER]\n";

struct Arguments {
  Plan plan = Plan::normal();
  std::string only;
  std::string out = TEAMSTER_BUILD_DIR "/bench.json";
  std::string binary = TEAMSTER_BINARY;
};

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--quick") {
      arguments.plan = Plan::quick();
      continue;
    }
    if (value == nullptr) return std::nullopt;
    ++i;
    if (word == "--only")
      arguments.only = value;
    else if (word == "--out" || word == "--json")
      arguments.out = value;
    else if (word == "--binary")
      arguments.binary = value;
    else if (word == "--rounds")
      arguments.plan.rounds = std::max(1, std::atoi(value));
    else
      return std::nullopt;
  }
  for (const char* known :
       {"", "messages", "claims", "wakeup", "command", "agents", "mcp", "engine", "verify", "teams"})
    if (arguments.only == known) return arguments;
  return std::nullopt;
}

// Beside the build, so that it is the disk people work on and not memory.
class Scratch {
 public:
  Scratch() : path_(fmt::format("{}/bench-{}", TEAMSTER_BUILD_DIR, ::getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<void> run(const Arguments& arguments) {
  const Scratch scratch;
  Report report;
  {
    auto rounds = TRY(Rounds::prepare({arguments.plan, arguments.only, arguments.binary, scratch.path()}));
    TRY_VOID(rounds->run(report));
  }
  const auto targets = check_targets(report);
  report.print(targets);
  TRY_VOID(report.write(arguments.out, targets));
  fmt::print("\nfigures of each round: {}\n", arguments.out);
  return {};
}

}  // namespace
}  // namespace teamster::bench

int main(int argc, char** argv) {
  teamster::bench::become_teamster_if_asked(argc, argv, TEAMSTER_BINARY);
  teamster::bench::host_runs_if_asked(argc, argv);
  const auto arguments = teamster::bench::parse(argc, argv);
  if (!arguments) {
    std::fputs(teamster::bench::kUsage, stderr);
    return 2;
  }
  const auto outcome = teamster::bench::run(*arguments);
  if (!outcome) fmt::print(stderr, "teamster_bench: {}\n", outcome.error().text());
  return outcome ? 0 : 1;
}
