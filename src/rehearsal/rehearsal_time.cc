#include "rehearsal/rehearsal_time.h"

#include <algorithm>

#include <fmt/format.h>

#include "env/clock.h"
#include "env/files.h"
#include "script/rehearsal_place.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery = 5ms;
// What one process has just done, another may not have heard yet.
constexpr int kQuietLooks = 4;
constexpr std::size_t kStatMaxBytes = 4096;

// By SIGSTOP: "PID (name) T …". The name may hold anything, brackets too.
bool is_stopped(env::Files& files, std::int64_t pid) {
  const auto stat = files.read(fmt::format("/proc/{}/stat", pid), kStatMaxBytes);
  if (!stat) return false;
  const std::size_t end_of_name = stat->rfind(") ");
  return end_of_name != std::string::npos && (*stat)[std::min(end_of_name + 2, stat->size() - 1)] == 'T';
}

}  // namespace

RehearsalTime::RehearsalTime(const env::World& world, RehearsalTimeOptions options)
    : below_(world), options_(std::move(options)), loop_(world.loop, world.clock) {
  look_later();
}

void RehearsalTime::look_later() {
  look_ = below_.loop.after(kLookEvery, [this] { look(); });
}

void RehearsalTime::look() {
  look_later();
  const auto still = stillness();
  if (!still) {
    quiet_looks_ = 0;
    return;
  }
  if (++quiet_looks_ < kQuietLooks) return;
  quiet_looks_ = 0;
  if (*still == Duration::max()) return options_.on_stuck();
  // Rounded up to what the shared clock counts, so that whoever waits for the time finds that it has come.
  const Duration span = std::chrono::ceil<std::chrono::milliseconds>(*still);
  options_.put_clock_ahead(span);
  loop_.jump(span);
}

std::optional<Duration> RehearsalTime::stillness() const {
  const auto agents = options_.agents_at_work();
  if (!agents) return std::nullopt;
  Duration still = loop_.until_next().value_or(Duration::max());
  for (const std::int64_t pid : *agents) {
    if (pid <= 0) return std::nullopt;  // its process is just being started
    if (is_stopped(below_.files, pid)) continue;
    const auto asleep = script::look_whether_asleep(below_.files, options_.directory, pid);
    if (!asleep) return std::nullopt;
    if (!asleep->until) continue;
    const std::int64_t ms = asleep->until->unix_ms - below_.clock.wall_now().unix_ms;
    still = std::min<Duration>(still, std::chrono::milliseconds(std::max<std::int64_t>(ms, 0)));
  }
  return still;
}

}  // namespace teamster::cli
