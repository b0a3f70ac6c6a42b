#include "bench/command_start.h"

#include <unistd.h>

#include <fmt/format.h>

#include "bench/subject.h"
#include "bench/teamster_subject.h"

namespace teamster::bench {
namespace {

constexpr const char* kTeam = "commands";

Result<double> run_ms(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  const std::int64_t before = monotonic_ns();
  auto process = TRY(ChildProcess::run(arguments, environment));
  const int code = process.wait();
  const std::int64_t after = monotonic_ns();
  if (code != 0) return fail(Code::failed, fmt::format("{} ended with {}", arguments.front(), code));
  return static_cast<double>(after - before) / 1e6;
}

}  // namespace

Result<CommandTimes> measure_command_start(TeamsterSubject& subject, int times) {
  TRY_VOID(subject.ensure_hub());
  if (::access(subject.home().token_file(kTeam, "sender").c_str(), R_OK) != 0)
    TRY_VOID(subject.create_team(kTeam, {"sender", "receiver"}));
  const std::vector<std::string> send = {subject.binary(), "message", "send",     "--team", kTeam,         "--from",
                                         "sender",         "--to",    "receiver", "--json", message_body()};
  CommandTimes measured;
  for (int i = 0; i < times; ++i) {
    measured.teamster_ms.push_back(TRY(run_ms(send, subject.environment())));
    measured.smallest_ms.push_back(TRY(run_ms({"/bin/true"}, subject.environment())));
  }
  return measured;
}

}  // namespace teamster::bench
