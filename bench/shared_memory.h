// Shared: an array of T that a process and its forked children see alike. Zeroed; pages
// that nobody touches cost nothing. Owned by whoever made it, before the fork.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "base/check.h"

namespace teamster::bench {

template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : bytes_(count * sizeof(T)) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    memory_ = static_cast<T*>(memory);
  }
  ~Shared() { ::munmap(memory_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](std::size_t index) { return memory_[index]; }

 private:
  T* memory_;
  std::size_t bytes_;
};

}  // namespace teamster::bench
