#include "e2e/senders.h"

#include <sys/mman.h>

#include <cstdio>

#include "base/check.h"
#include "env/real/world.h"

namespace teamster::e2e {

SharedCounters::SharedCounters(std::size_t count) : bytes_(count * sizeof(std::int64_t)) {
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  numbers_ = static_cast<std::int64_t*>(memory);
}

SharedCounters::~SharedCounters() { ::munmap(numbers_, bytes_); }

Process fork_client(const Home& home, std::function<Result<void>(hub::Client&)> body) {
  return Process([&]() -> int {
    env::real::World world;
    hub::Client client(world.view(), home.as_hub_home(), hub::Access::operator_of_home());
    const auto result = body(client);
    if (result) return 0;
    std::fprintf(stderr, "%s\n", result.error().text().c_str());
    std::fflush(stderr);
    return 1;
  });
}

}  // namespace teamster::e2e
