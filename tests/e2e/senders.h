// Forked clients of a hub: each is a process with its own hub::Client, as an agent's host
// would be, without the cost of starting the program for every call.
#pragma once

#include <functional>
#include <memory>

#include "e2e/fixture.h"
#include "protocol/client/client.h"

namespace teamster::e2e {

// Numbers that all forks of the test see.
class SharedCounters {
 public:
  explicit SharedCounters(std::size_t count);
  ~SharedCounters();
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;

  void add(std::size_t at, std::int64_t number = 1) { __atomic_fetch_add(&numbers_[at], number, __ATOMIC_SEQ_CST); }
  std::int64_t get(std::size_t at) const { return __atomic_load_n(&numbers_[at], __ATOMIC_SEQ_CST); }

 private:
  std::int64_t* numbers_;
  std::size_t bytes_;
};

// Runs `body` in a fork with an operator's client of the home. An error that body lets
// out goes to the process's stderr, and its exit code is 1.
Process fork_client(const Home& home, std::function<Result<void>(hub::Client&)> body);

}  // namespace teamster::e2e
