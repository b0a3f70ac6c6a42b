// Registration: something the world will call back (a timer, a watch) for as long as
// this object lives. Move-only; the destructor takes the callback back, after which it
// is never called again.
#pragma once

#include <functional>
#include <utility>

namespace teamster::env {

class [[nodiscard]] Registration {
 public:
  Registration() = default;
  explicit Registration(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
  Registration(Registration&& other) noexcept : cancel_(std::exchange(other.cancel_, nullptr)) {}
  Registration& operator=(Registration&& other) noexcept {
    if (this != &other) {
      reset();
      cancel_ = std::exchange(other.cancel_, nullptr);
    }
    return *this;
  }
  ~Registration() { reset(); }

  void reset() {
    if (auto cancel = std::exchange(cancel_, nullptr)) cancel();
  }
  explicit operator bool() const { return cancel_ != nullptr; }

 private:
  std::function<void()> cancel_;
};

}  // namespace teamster::env
