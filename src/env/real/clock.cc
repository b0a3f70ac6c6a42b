#include "env/real/clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <chrono>

#include "env/real/descriptor.h"

namespace teamster::env::real {
namespace {

using Shared = std::atomic<std::int64_t>;
static_assert(Shared::is_always_lock_free, "processes share it");

}  // namespace

Clock::Clock(const std::string& shared_file) {
  if (shared_file.empty()) return;
  const Descriptor file(::open(shared_file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || ::fstat(file.number(), &status) != 0 || status.st_size != sizeof(Shared)) return;
  void* mapped = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapped != MAP_FAILED) ahead_ms_ = static_cast<Shared*>(mapped);
}

Clock::~Clock() {
  if (ahead_ms_ != nullptr) ::munmap(ahead_ms_, sizeof(Shared));
}

Instant Clock::now() const {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime Clock::wall_now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t ahead = ahead_ms_ == nullptr ? 0 : ahead_ms_->load(std::memory_order_relaxed);
  return WallTime{std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count() + ahead};
}

void Clock::put_ahead(Duration span) {
  if (ahead_ms_ != nullptr) ahead_ms_->fetch_add(to_ms(span), std::memory_order_relaxed);
}

std::string shared_clock_at_zero() { return std::string(sizeof(Shared), '\0'); }

}  // namespace teamster::env::real
