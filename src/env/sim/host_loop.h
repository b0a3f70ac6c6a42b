// HostLoop: the Loop that one simulated process sees. What is registered through it dies
// with the host. Running it runs the whole simulation until this host is done.
#pragma once

#include "env/loop.h"
#include "env/sim/sim_loop.h"

namespace teamster::env::sim {

class HostLoop : public Loop {
 public:
  HostLoop(SimLoop& loop, HostId host) : loop_(loop), host_(host) {}

  Timer after(Duration delay, Callback callback) override {
    return loop_.schedule(host_, SimLoop::Kind::timer, delay, std::move(callback));
  }
  void post(Callback callback) override { loop_.post(host_, std::move(callback)); }
  void run() override {
    loop_.run_host_until(host_, [] { return false; });
  }
  bool run_until(const std::function<bool()>& done) override { return loop_.run_host_until(host_, done); }
  void stop() override { loop_.stop(host_); }

 private:
  SimLoop& loop_;
  const HostId host_;
};

}  // namespace teamster::env::sim
