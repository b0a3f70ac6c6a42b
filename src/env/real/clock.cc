#include "env/real/clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>

#include "env/real/descriptor.h"
#include "env/shared_clock.h"

namespace teamster::env::real {

Clock::Clock(const std::string& shared_file) {
  static_assert(std::atomic<std::int64_t>::is_always_lock_free, "processes share it");
  static_assert(sizeof(Shared) == kSharedClockBytes);
  if (shared_file.empty()) return;
  const Descriptor file(::open(shared_file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || ::fstat(file.number(), &status) != 0 || status.st_size != sizeof(Shared)) return;
  void* mapped = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapped != MAP_FAILED) shared_ = static_cast<Shared*>(mapped);
}

Clock::~Clock() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
}

Instant Clock::now() const {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime Clock::wall_now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  if (shared_ == nullptr) return WallTime{now};
  const std::int64_t stands_at = shared_->stands_at_ms;
  return WallTime{(stands_at == 0 ? now : stands_at) + shared_->ahead_ms};
}

void Clock::put_ahead(Duration span) {
  if (shared_ != nullptr) shared_->ahead_ms += to_ms(span);
}

}  // namespace teamster::env::real
