// Descriptor: owns one file descriptor and closes it. Move-only; -1 is "none". The other
// real parts hold descriptors only in this.
#pragma once

#include <unistd.h>

#include <utility>

namespace teamster::env::real {

class [[nodiscard]] Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

  void reset() {
    // Not retried on EINTR: Linux has released the number by then.
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

}  // namespace teamster::env::real
