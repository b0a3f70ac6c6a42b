#include "bench/verify.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "bench/child_process.h"
#include "bench/subject.h"

namespace teamster::bench {
namespace {

std::string manifest_of(int checks) {
  std::string text = "# Checks\n\n## 3. Global Invariants\n";
  for (int i = 1; i <= checks; ++i)
    text += fmt::format(
        "- [INV-G{}] it is more than nothing | Verify: bash\n  ```yaml\n  verify:\n    method: bash\n"
        "    command: test {} -gt 0\n  ```\n",
        i, i);
  return text;
}

Result<double> timed_ms(const std::string& directory, const std::string& command) {
  const std::int64_t before = monotonic_ns();
  auto process = TRY(ChildProcess::run({"/bin/sh", "-c", fmt::format("cd '{}' && {}", directory, command)},
                                       {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + directory}));
  const int code = process.wait();
  const std::int64_t after = monotonic_ns();
  if (code != 0) return fail(Code::failed, fmt::format("{} ended with {}", command, code));
  return static_cast<double>(after - before) / 1e6;
}

}  // namespace

Result<ChecksTimes> measure_checks(const std::string& binary, const std::string& scratch, int checks) {
  const std::string directory = scratch + "/checks";
  if (std::filesystem::create_directory(directory)) {
    std::ofstream(directory + "/manifest.md") << manifest_of(checks);
    std::ofstream commands(directory + "/commands");
    for (int i = 1; i <= checks; ++i) commands << fmt::format("test {} -gt 0", i) << '\0';
    commands.close();
    TRY_VOID(timed_ms(directory, "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m a"));
  }
  ChecksTimes times;
  times.teamster_ms = TRY(timed_ms(directory, fmt::format("'{}' verify manifest.md", binary)));
  times.xargs_ms = TRY(timed_ms(directory, fmt::format("xargs -0 -n 1 -P {} bash -o pipefail -c < commands",
                                                       std::max(1U, std::thread::hardware_concurrency()))));
  return times;
}

}  // namespace teamster::bench
