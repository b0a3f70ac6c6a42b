// model_server: a model API on loopback that says what a script tells it to. For tests; README.md
// beside this file describes the script and the log. It ends on SIGTERM or SIGINT, and when the
// process that needs it ends.
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model_server/server.h"
#include "model_server/service.h"

namespace teamster::model {
namespace {

constexpr const char* kUsage =
    "usage: model_server --script FILE --log FILE --ready-file FILE [--port N] [--parent PID]\n"
    "\n"
    "  --script FILE      what to say; see README.md\n"
    "  --log FILE         requests are appended here, as JSON lines\n"
    "  --ready-file FILE  gets the port, and a newline, as soon as connections are accepted\n"
    "  --port N           default 0: a free one\n"
    "  --parent PID       end when this process ends\n";

using Flags = std::map<std::string, std::string>;

Result<Flags> read_flags(int argc, char** argv) {
  Flags flags = {{"--script", ""}, {"--log", ""}, {"--ready-file", ""}, {"--port", "0"}, {"--parent", "0"}};
  for (int i = 1; i < argc; i += 2) {
    const auto flag = flags.find(argv[i]);
    if (flag == flags.end()) return fail(Code::invalid, fmt::format("unknown argument '{}'", argv[i]));
    if (i + 1 == argc) return fail(Code::invalid, flag->first + " needs a value");
    flag->second = argv[i + 1];
  }
  for (const auto& [name, value] : flags)
    if (value.empty()) return fail(Code::invalid, name + " is missing");
  return flags;
}

template <class Number>
Result<Number> number_of(const std::string& name, const std::string& text) {
  Number number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size())
    return fail(Code::invalid, fmt::format("{} is not a number it can be: {}", name, text));
  return number;
}

Result<std::string> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) return fail(Code::not_found, path + " cannot be read");
  return text.str();
}

// Renamed into place, so whoever finds it finds a whole number in it.
Result<void> write_ready(const std::string& path, std::uint16_t port) {
  const std::string temporary = path + ".new";
  std::ofstream(temporary, std::ios::trunc) << port << "\n";
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return fail(Code::failed, path + " cannot be written");
  return {};
}

// Blocks them in this thread and in all that it starts; the descriptor tells when one comes.
int end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

Result<void> run(const Flags& flags) {
  const auto port = TRY(number_of<std::uint16_t>("--port", flags.at("--port")));
  const auto parent = TRY(number_of<pid_t>("--parent", flags.at("--parent")));
  // -1 is left out by poll.
  const int parent_end = parent == 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, parent, 0U));
  if (parent != 0 && parent_end < 0) return fail(Code::not_found, fmt::format("there is no process {}", parent));
  const std::string text = TRY(read_whole(flags.at("--script")));
  auto script = parse_script(text);
  if (!script) return fail(script.error().within(flags.at("--script")));
  RequestLog log(TRY(RequestLog::open(flags.at("--log"))));
  Service service(*std::move(script), log, std::filesystem::path(flags.at("--script")).parent_path());
  const int listener = TRY(Server::listen(port));
  const int signals = end_signals();
  const Server server(listener, [&](const auto& request, auto& exchange) { return service.handle(request, exchange); });
  TRY_VOID(write_ready(flags.at("--ready-file"), server.port()));
  pollfd polled[] = {{signals, POLLIN, 0}, {parent_end, POLLIN, 0}};
  while (::poll(polled, 2, -1) < 0) CHECK(errno == EINTR);
  return {};
}

int main_of(int argc, char** argv) {
  const auto flags = read_flags(argc, argv);
  if (!flags) {
    std::fputs(fmt::format("model_server: {}\n\n{}", flags.error().text(), kUsage).c_str(), stderr);
    return 2;
  }
  const auto outcome = run(*flags);
  if (outcome) return 0;
  std::fputs(fmt::format("model_server: {}\n", outcome.error().text()).c_str(), stderr);
  return outcome.error().code == Code::invalid ? 2 : 1;
}

}  // namespace
}  // namespace teamster::model

int main(int argc, char** argv) { return teamster::model::main_of(argc, argv); }
