#include "cli/framework/script_agent.h"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "base/limits.h"
#include "cli/framework/exit_code.h"
#include "env/file_error.h"
#include "env/files.h"
#include "script/agent.h"
#include "script/flags.h"
#include "script/script.h"

namespace teamster::cli {
namespace {

// Stays in our process group and keeps our standard output open, as a careless program does.
Result<std::int64_t> leave_child(const std::string& command) {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  sigset_t none{};
  sigset_t all{};
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string line = command;
  std::array<std::string, 2> words{"sh", "-c"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), line.data(), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return fail(env::file_error(error, "start", "/bin/sh"));
  return pid;
}

void die_by_signal(int number) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(number, SIG_DFL);
  sigset_t only{};
  sigemptyset(&only);
  sigaddset(&only, number);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::kill(::getpid(), number);
  ::_exit(128 + number);  // by a signal that ends nobody
}

Result<script::Script> load_script(env::Files& files, const std::string& path) {
  const std::string text = TRY(files.read(path, limits::kScriptMaxBytes));
  return script::parse_script(text, path);
}

int refuse(const Outside& outside, const Error& error, int code) {
  outside.err.write(code == kExitUsage ? error_text(error) : error.what + "\n");
  return code;
}

int check(const Outside& outside, const std::string& path) {
  const auto script = load_script(outside.world().files, path);
  if (!script) return refuse(outside, script.error(), kExitUsage);
  outside.out.write(fmt::format("{}: {} turns, {} steps\n", path, script->turns.size(), script->step_count()));
  return kExitDone;
}

int play(const Outside& outside, script::Settings settings) {
  const env::World world = outside.world();
  auto script = load_script(world.files, settings.script_file);
  if (!script) return refuse(outside, script.error(), kExitUsage);
  std::error_code error;
  settings.cwd = std::filesystem::current_path(error).string();
  const auto complain = [&outside](std::string_view text) {
    outside.err.write(text);
    outside.err.flush();
  };
  const auto exit_code = script::run_agent({.world = world,
                                            .streams = outside.standard_streams(),
                                            .watch_signal = outside.watch_signal,
                                            .complain = complain,
                                            .leave_child = leave_child,
                                            .exit_at_once = [](int code) { ::_exit(code); },
                                            .die_by_signal = die_by_signal},
                                           std::move(settings), *std::move(script));
  return exit_code ? *exit_code : refuse(outside, exit_code.error(), kExitNothing);
}

}  // namespace

int script_agent(const Outside& outside, std::span<const std::string> words) {
  // Hundreds of these wait side by side: one long line must not stay in the memory of each.
  // Setting the threshold keeps malloc from raising it after the first long one.
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  const auto line = script::parse_flags(words, outside.variable, outside.world().files);
  if (!line) return refuse(outside, line.error(), kExitNothing);
  if (line->wants_version) {
    outside.out.write("2.1.325 (Claude Code, scripted)\n");
    return kExitDone;
  }
  return line->check ? check(outside, *line->check) : play(outside, line->settings);
}

}  // namespace teamster::cli
