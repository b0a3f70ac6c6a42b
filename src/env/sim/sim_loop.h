// SimLoop: the scheduler of all simulated processes, in virtual time. Each host takes
// turns as the real loop does (ready input, due timers, then what was posted); which host
// goes next, and the order of input within a turn, are drawn from the seed. When nobody
// can run, time jumps to the next event. Owned by sim::World; hosts see a HostLoop of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "env/loop.h"
#include "env/sim/host_id.h"
#include "env/sim/sim_clock.h"
#include "env/sim/sim_random.h"

namespace teamster::env::sim {

class SimLoop {
 public:
  enum class Kind { input, timer };

  SimLoop(SimClock& clock, SimRandom random);
  ~SimLoop();
  SimLoop(const SimLoop&) = delete;
  SimLoop& operator=(const SimLoop&) = delete;

  HostId add_host();
  // Its callbacks are dropped and never run again.
  void kill(HostId host);
  bool is_alive(HostId host) const { return hosts_.contains(host); }
  Instant now() const { return clock_.now(); }

  // Asked of a dead host these do nothing.
  Registration schedule(HostId host, Kind kind, Duration delay, Callback callback);
  void post(HostId host, Callback callback);

  // Ends the host's own run; a host that the world drives stops for good at the end of
  // its turn, as a program whose main returns, and then `on_stop` is called.
  void stop(HostId host);
  void on_stop(HostId host, Callback callback);
  bool has_stopped(HostId host) const;

  // False when nothing can happen any more, or the step limit is reached.
  bool run_until(const std::function<bool()>& done);
  // The same on behalf of a host: also ends when it stops or dies.
  bool run_host_until(HostId host, const std::function<bool()>& done);

  // Against a simulation that runs forever without getting anywhere.
  void set_step_limit(std::uint64_t steps) { step_limit_ = steps; }
  std::uint64_t steps() const { return steps_; }
  bool is_out_of_steps() const { return steps_ >= step_limit_; }

 private:
  using EventId = std::uint64_t;
  struct Event {
    HostId host;
    Kind kind;
    Instant when;
    Callback callback;
  };
  struct Host {
    std::vector<EventId> ready_input;
    std::vector<EventId> due_timers;
    std::vector<Callback> posted;
    std::deque<EventId> turn;          // what is left of this turn's input and timers
    std::deque<Callback> turn_posted;  // then this
    bool took_posted = false;
    int own_runs = 0;
    bool stop_requested = false;
    bool has_stopped = false;
    Callback on_stop;
    bool has_work() const;
  };

  bool step();
  void collect_due();
  bool jump_to_next_event();
  void begin_turn(Host& host);
  Callback next_callback(Host& host);
  void end_turn(HostId id, Host& host);
  void freeze(HostId id, Host& host);
  void drop_events(HostId host);
  void cancel(EventId id);

  SimClock& clock_;
  SimRandom random_;
  std::map<HostId, Host> hosts_;
  HostId last_host_ = kNobody;
  std::map<EventId, Event> events_;
  EventId last_event_ = 0;
  std::set<std::pair<Instant, EventId>> pending_;  // those whose time has not come
  std::uint64_t steps_ = 0;
  std::uint64_t step_limit_ = 20'000'000;
};

}  // namespace teamster::env::sim
