#include "cli/framework/main_entry.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/command_line.h"
#include "cli/framework/standard_output.h"
#include "cli/framework/typed_lines.h"
#include "env/clock.h"
#include "env/lineage.h"
#include "env/real/standard_streams.h"
#include "env/real/world.h"
#include "keeper/kept_processes.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "script/rehearsal_place.h"

namespace teamster::cli {
namespace {

// Of input that is over a limit this much is counted for the error, then we stop looking.
constexpr std::size_t kCountedMaxBytes = 64UL * 1024 * 1024;

// A descriptor that the caller closed would otherwise be given to the next file or socket we open,
// and our output would go there. Opened for the wrong direction, so that using it is an error.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) std::_Exit(70);
  }
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::size_t> read_some(char* buffer, std::size_t bytes) {
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, bytes);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR)
      return fail(Code::failed, fmt::format("cannot read standard input: {}", std::generic_category().message(errno)));
  }
}

Result<StandardInput> read_input(std::size_t max_bytes) {
  StandardInput input;
  std::array<char, 64 * 1024> buffer;
  while (input.bytes_there < std::max(max_bytes, kCountedMaxBytes)) {
    const std::size_t count = TRY(read_some(buffer.data(), buffer.size()));
    if (count == 0) break;
    const std::size_t room = max_bytes - input.text.size();
    input.text.append(buffer.data(), std::min(count, room));
    input.bytes_there += count;
  }
  return input;
}

// Byte by byte, so that nothing beyond the line is taken away from whoever reads next.
std::optional<std::string> read_line() {
  constexpr std::size_t kLineMaxBytes = 4096;
  std::string line;
  char c = 0;
  while (line.size() < kLineMaxBytes) {
    const auto count = read_some(&c, 1);
    if (!count || *count == 0) return line.empty() ? std::nullopt : std::optional(line);
    if (c == '\n') return line;
    line += c;
  }
  return line;
}

// Builds the world and the hub's client when they are first asked for.
class Machine {
 public:
  env::World world() {
    if (!world_) world_ = std::make_unique<env::real::World>(clock_file());
    return world_->view();
  }

  void put_clock_ahead(Duration span) {
    world();
    world_->clock().put_ahead(span);
  }

  env::World kept_world() {
    env::World view = world();
    if (!kept_)
      kept_ = std::make_unique<keeper::KeptProcesses>(world_->loop(), view.processes, [&files = view.files] {
        const auto home = hub::Home::locate(variable);
        return env::keeper_arguments(files, home ? home->path() : "");
      });
    return {view.clock, view.loop, view.files, view.network, *kept_, view.random};
  }

  env::Registration watch_signal(int number, std::function<void()> callback) {
    world();
    return world_->loop().watch_signal(number, std::move(callback));
  }

  env::Registration watch_input(TypedLines::OnLine callback) {
    world();
    auto lines = std::make_shared<TypedLines>(world_->loop(), std::move(callback));
    return env::Registration([lines]() mutable { lines.reset(); });
  }

  std::unique_ptr<env::Stream> standard_streams() {
    world();
    return std::make_unique<env::real::StandardStreams>(world_->loop());
  }

  Result<Json> call(const hub::Access& access, hub::Request request) {
    if (!client_) {
      auto home = TRY(hub::Home::locate(variable));
      client_ = std::make_unique<hub::Client>(world(), std::move(home), access);
      std::error_code gone;
      client_->stand_in(std::filesystem::current_path(gone).string());
    }
    return client_->call_and_wait(std::move(request));
  }

 private:
  // Only the home of a rehearsal has one.
  static std::string clock_file() {
    const auto home = hub::Home::locate(variable);
    return home ? script::clock_of_rehearsal(script::rehearsal_directory(home->path())) : std::string();
  }

  std::unique_ptr<env::real::World> world_;
  std::unique_ptr<keeper::KeptProcesses> kept_;
  std::unique_ptr<hub::Client> client_;  // uses the world: goes first
};

}  // namespace

int main_entry(int argc, char** argv) {
  occupy_standard_descriptors();
  // A reader that has gone is an error of write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  StandardOutput out(STDOUT_FILENO);
  StandardOutput err(STDERR_FILENO);
  Machine machine;
  const Outside outside{
      .out = out,
      .err = err,
      .read_input = read_input,
      .read_line = read_line,
      .variable = variable,
      .now = [&machine] { return machine.world().clock.wall_now(); },
      .call = [&machine](const hub::Access& access,
                         hub::Request request) { return machine.call(access, std::move(request)); },
      .world = [&machine] { return machine.world(); },
      .put_clock_ahead = [&machine](Duration span) { machine.put_clock_ahead(span); },
      .kept_world = [&machine] { return machine.kept_world(); },
      .watch_signal = [&machine](
                          int number,
                          std::function<void()> callback) { return machine.watch_signal(number, std::move(callback)); },
      .standard_streams = [&machine] { return machine.standard_streams(); },
      .watch_input = [&machine](TypedLines::OnLine callback) { return machine.watch_input(std::move(callback)); },
      .drop_input = drop_typed,
      .has_terminal = [] { return has_terminal(STDOUT_FILENO); },
      .columns = columns_of_terminal,
      .input_is_terminal = ::isatty(STDIN_FILENO) == 1,
      .output_is_terminal = ::isatty(STDOUT_FILENO) == 1,
      .errors_are_terminal = ::isatty(STDERR_FILENO) == 1,
  };
  return run_command_line(outside, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

}  // namespace teamster::cli
