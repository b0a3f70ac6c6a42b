#include "cli/framework/background_run.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/team_ref.h"
#include "base/text.h"
#include "cli/framework/runs.h"
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
bool drives_one(const Context& context, const BackgroundRun& background) {
  const auto runs = runs_of(context);
  const auto rows = runs ? runs->list(false) : Result<std::vector<hub::ListedRun>>(fail(runs.error()));
  if (!rows) return false;
  return std::any_of(rows->begin(), rows->end(),
                     [&](const hub::ListedRun& run) { return run.holder && run.holder->pid == background.pid; });
}

// By this process, or to its end by whomever.
bool is_driven(const Context& context, const BackgroundRun& background) {
  const auto found = context.ask(hub::GetRun{background.run});
  if (!found) return false;
  if (found->run.has_ended()) return true;
  return found->run.is_driven() && found->run.holder->pid == background.pid;
}

// The end of what it wrote.
std::string last_words(env::Files& files, const std::string& log, std::size_t from) {
  const auto text = files.read(log, kLogMaxBytes);
  if (!text) return {};
  const std::string_view said = trimmed(std::string_view(*text).substr(std::min(from, text->size())));
  return std::string(said.substr(said.size() - std::min(said.size(), kLogShownBytes)));
}

}  // namespace

std::string BackgroundRun::text() const {
  return fmt::format(
      "run {0} goes on in the background, in process {1}\n"
      "  watch it with `teamster watch {0}`, end it with `teamster cancel {0}`; it writes to {2}\n",
      run, pid, log);
}

std::string BackgroundRun::text_of_series() const {
  return fmt::format(
      "they go on in the background, one after the other, in process {1}\n"
      "  see how far they are with `teamster task list --team {0}`; it writes to {2}\n",
      run, pid, log);
}

Json BackgroundRun::json() const { return {{"run", run}, {"pid", pid}, {"log", log}}; }

namespace {

using Begun = bool (*)(const Context& context, const BackgroundRun& background);

Result<BackgroundRun> start(const Context& context, BackgroundRun background, const std::vector<std::string>& words,
                            Begun has_begun) {
  const env::World world = context.outside().world();
  const auto before = TRY(world.files.status(background.log));
  background.pid = TRY(spawn(world.processes, background.log, words));
  while (!has_begun(context, background)) {
    if (!world.processes.identify(background.pid)) {
      // Once more: it may have begun the run and ended since.
      if (has_begun(context, background)) break;
      const std::string said = last_words(world.files, background.log, before ? before->bytes : 0);
      return fail(Code::failed,
                  fmt::format("the process of {} has ended{}{}", background.run, said.empty() ? "" : ": ", said),
                  "Start it without --detach to see why");
    }
    pause(world.loop);
  }
  return background;
}

}  // namespace

Result<BackgroundRun> start_in_background(const Context& context, const hub::Home& home, const std::string& run,
                                          const std::vector<std::string>& words) {
  const std::string directory = engine::run_directory(home, run);
  TRY_VOID(context.outside().world().files.make_private_directory(directory));
  return start(context, {run, 0, directory + "/engine.log"}, words, is_driven);
}

Result<BackgroundRun> start_series_in_background(const Context& context, const hub::Home& home, const std::string& name,
                                                 const std::vector<std::string>& words) {
  TRY_VOID(context.outside().world().files.make_private_directory(home.path() + "/runs"));
  const std::string ref = TeamRef::of(name, std::filesystem::current_path().string()).text();
  return start(context, {name, 0, fmt::format("{}/runs/{}.log", home.path(), ref)}, words, drives_one);
}

}  // namespace teamster::cli
