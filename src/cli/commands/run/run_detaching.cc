#include "cli/commands/run/run_detaching.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "engine/run_setup.h"
#include "env/files.h"
#include "env/loop.h"
#include "env/processes.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookAgainAfter = 50ms;
constexpr std::size_t kLogMaxBytes = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kLogShownBytes = 2000;

// The shell opens the file for it and is replaced by it: the process is the one we know.
Result<std::int64_t> spawn(env::Processes& processes, const std::string& log, const std::vector<std::string>& words) {
  env::Spawn spawn;
  spawn.program = "/bin/sh";
  spawn.arguments = {spawn.program, "-c", "exec \"$@\" >>\"$0\" 2>&1", log, processes.own_executable()};
  spawn.arguments.insert(spawn.arguments.end(), words.begin(), words.end());
  spawn.environment = processes.environment();
  spawn.directory = std::filesystem::current_path();
  return processes.spawn_detached(spawn);
}

void pause(env::Loop& loop) {
  bool is_over = false;
  const env::Timer timer = loop.after(kLookAgainAfter, [&] { is_over = true; });
  loop.run_until([&] { return is_over; });
}

// A run by this process.
bool drives_one(const Context& context, const DetachedRun& detached) {
  const auto page = context.read("run.list", Json::object());
  if (!page) return false;
  const Json& runs = list_in(*page, "runs");
  return std::any_of(runs.begin(), runs.end(),
                     [&](const Json& run) { return number_in(object_in(run, "holder"), "pid") == detached.pid; });
}

// By this process, or to its end by whomever.
bool is_driven(const Context& context, const DetachedRun& detached) {
  const auto row = context.read("run.get", {{"run", detached.run}});
  if (!row) return false;
  if (row->contains("ended")) return true;
  const Json& holder = object_in(*row, "holder");
  return number_in(holder, "pid") == detached.pid && flag_in(holder, "alive");
}

// The end of what it wrote.
std::string last_words(env::Files& files, const std::string& log, std::size_t from) {
  const auto text = files.read(log, kLogMaxBytes);
  if (!text) return {};
  const std::string_view said = trimmed(std::string_view(*text).substr(std::min(from, text->size())));
  return std::string(said.substr(said.size() - std::min(said.size(), kLogShownBytes)));
}

}  // namespace

std::string DetachedRun::text() const {
  return fmt::format(
      "run {0} goes on in the background, in process {1}\n"
      "  watch it with `teamster watch {0}`, end it with `teamster cancel {0}`; it writes to {2}\n",
      run, pid, log);
}

std::string DetachedRun::text_of_series() const {
  return fmt::format(
      "they go on in the background, one after the other, in process {1}\n"
      "  see how far they are with `teamster task list --team {0}`; it writes to {2}\n",
      run, pid, log);
}

Json DetachedRun::json() const { return {{"run", run}, {"pid", pid}, {"log", log}}; }

namespace {

using Begun = bool (*)(const Context& context, const DetachedRun& detached);

Result<DetachedRun> start(const Context& context, DetachedRun detached, const std::vector<std::string>& words,
                          Begun has_begun) {
  const env::World world = context.outside().world();
  const auto before = TRY(world.files.status(detached.log));
  detached.pid = TRY(spawn(world.processes, detached.log, words));
  while (!has_begun(context, detached)) {
    if (!world.processes.identify(detached.pid)) {
      // Once more: it may have begun the run and ended since.
      if (has_begun(context, detached)) break;
      const std::string said = last_words(world.files, detached.log, before ? before->bytes : 0);
      return fail(Code::failed,
                  fmt::format("the process of {} has ended{}{}", detached.run, said.empty() ? "" : ": ", said),
                  "Start it without --detach to see why");
    }
    pause(world.loop);
  }
  return detached;
}

}  // namespace

Result<DetachedRun> start_detached(const Context& context, const hub::Home& home, const std::string& run,
                                   const std::vector<std::string>& words) {
  const std::string directory = engine::run_directory(home, run);
  TRY_VOID(context.outside().world().files.make_private_directory(directory));
  return start(context, {run, 0, directory + "/engine.log"}, words, is_driven);
}

Result<DetachedRun> start_detached_series(const Context& context, const hub::Home& home, const std::string& name,
                                          const std::vector<std::string>& words) {
  TRY_VOID(context.outside().world().files.make_private_directory(home.path() + "/runs"));
  return start(context, {name, 0, fmt::format("{}/runs/{}.log", home.path(), name)}, words, drives_one);
}

}  // namespace teamster::cli
