// Bond: what ties callbacks to the object that they call. A member of that object, its owner: what was tied does
// nothing once the owner is gone, whoever keeps it and calls it then. As the last member it goes first, and nothing is
// called while the others go. A callback that may outlive its owner goes through a Bond, or through a Registration
// where whoever calls back can be told.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace teamster::env {

class Bond {
  struct Owner {};

 public:
  // A callback of the owner's, for others to keep. It answers with an empty value when the owner is gone.
  template <class Function>
  class Tied {
   public:
    template <class... Args>
    auto operator()(Args&&... args) -> std::invoke_result_t<Function&, Args...> {
      if (owner_.expired()) return std::invoke_result_t<Function&, Args...>();
      return function_(std::forward<Args>(args)...);
    }

   private:
    friend class Bond;
    Tied(std::weak_ptr<const Owner> owner, Function function)
        : owner_(std::move(owner)), function_(std::move(function)) {}

    std::weak_ptr<const Owner> owner_;
    Function function_;
  };

  // Held across a call that may destroy the owner, by code of the owner's that goes on after it.
  class Witness {
   public:
    bool is_owner_gone() const { return owner_.expired(); }

   private:
    friend class Bond;
    explicit Witness(std::weak_ptr<const Owner> owner) : owner_(std::move(owner)) {}

    std::weak_ptr<const Owner> owner_;
  };

  Bond() = default;
  Bond(const Bond&) = delete;
  Bond& operator=(const Bond&) = delete;

  template <class Function>
  Tied<Function> tie(Function function) const {
    return {owner_, std::move(function)};
  }
  Witness witness() const { return Witness(owner_); }

 private:
  std::shared_ptr<const Owner> owner_ = std::make_shared<const Owner>();
};

}  // namespace teamster::env
