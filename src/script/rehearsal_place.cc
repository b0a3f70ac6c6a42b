#include "script/rehearsal_place.h"

#include <charconv>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "env/clock.h"
#include "env/processes.h"

namespace teamster::script {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery = 5ms;
constexpr Duration kForEver = 24h * 365 * 10;
constexpr std::size_t kNumberMaxBytes = 32;

template <class Number>
std::optional<Number> number_in(env::Files& files, const std::string& path) {
  const auto text = files.read(path, kNumberMaxBytes);
  if (!text) return std::nullopt;
  const std::string_view digits = trimmed(*text);
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string asleep_file(const std::string& directory, std::int64_t pid) {
  return fmt::format("{}/asleep-{}", directory, pid);
}

// One pause: looks at the clock until it is over.
struct AnnouncedPause {
  env::World world;
  std::string file;
  WallTime until;
  env::Callback callback;
  env::Timer timer = {};

  static void look(const std::shared_ptr<AnnouncedPause>& self) {
    self->timer = self->world.loop.after(kLookEvery, [weak = std::weak_ptr<AnnouncedPause>(self)] {
      const auto pause = weak.lock();
      if (!pause) return;
      if (pause->world.clock.wall_now() < pause->until) return look(pause);
      pause->callback();
    });
  }
};

}  // namespace

std::string rehearsal_directory(const std::string& home) { return home + "/rehearsal"; }
std::string clock_of_rehearsal(const std::string& directory) { return directory + "/clock"; }
std::string seed_of_rehearsal(const std::string& directory) { return directory + "/seed"; }

bool is_rehearsal(env::Files& files, const std::string& directory) {
  const auto status = files.status(clock_of_rehearsal(directory));
  return status && *status;
}

std::optional<std::uint64_t> read_seed(env::Files& files, const std::string& directory) {
  return number_in<std::uint64_t>(files, seed_of_rehearsal(directory));
}

env::Timer pause_in_rehearsal(const env::World& world, const std::string& directory, Duration span,
                              env::Callback callback) {
  const bool is_for_ever = span >= kForEver;
  const WallTime until =
      is_for_ever ? WallTime{std::numeric_limits<std::int64_t>::max()} : world.clock.wall_now() + span;
  auto pause = std::make_shared<AnnouncedPause>(
      AnnouncedPause{world, asleep_file(directory, world.processes.self().pid), until, std::move(callback)});
  // When it cannot be said the time passes as it does elsewhere.
  (void)world.files.replace(pause->file, is_for_ever ? "never" : std::to_string(until.unix_ms), 0600);
  AnnouncedPause::look(pause);
  return env::Timer([pause] {
    pause->timer.reset();
    (void)pause->world.files.remove_tree(pause->file);
  });
}

std::optional<Asleep> look_whether_asleep(env::Files& files, const std::string& directory, std::int64_t pid) {
  const std::string file = asleep_file(directory, pid);
  const auto status = files.status(file);
  if (!status || !*status) return std::nullopt;
  const auto until = number_in<std::int64_t>(files, file);
  return Asleep{until ? std::optional(WallTime{*until}) : std::nullopt};
}

}  // namespace teamster::script
