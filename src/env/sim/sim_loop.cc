#include "env/sim/sim_loop.h"

#include <algorithm>

#include "base/check.h"

namespace teamster::env::sim {

SimLoop::SimLoop(SimClock& clock, SimRandom random) : clock_(clock), random_(random) { hosts_[kNobody]; }

SimLoop::~SimLoop() {
  // What callbacks captured may hold registrations: the tables must still be whole then.
  const auto hosts = std::exchange(hosts_, {});
  const auto events = std::exchange(events_, {});
}

HostId SimLoop::add_host() {
  last_host_ = HostId(last_host_.value + 1);
  hosts_[last_host_];
  return last_host_;
}

void SimLoop::kill(HostId host) {
  CHECK(host != kNobody);
  // Taken out first: destroying what callbacks captured may come back to this table.
  const auto killed = hosts_.extract(host);
  drop_events(host);
}

void SimLoop::drop_events(HostId host) {
  std::vector<Callback> dropped;
  std::erase_if(events_, [&](auto& entry) {
    auto& [id, event] = entry;
    if (event.host != host) return false;
    pending_.erase({event.when, id});
    dropped.push_back(std::move(event.callback));
    return true;
  });
}

Registration SimLoop::schedule(HostId host, Kind kind, Duration delay, Callback callback) {
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || found->second.has_stopped) return {};
  const Duration longest = Instant::max() - clock_.now();
  const Instant when = clock_.now() + std::clamp(delay, Duration::zero(), longest);
  const EventId id = ++last_event_;
  events_.emplace(id, Event{host, kind, when, std::move(callback)});
  pending_.emplace(when, id);
  return Registration([this, id] { cancel(id); });
}

void SimLoop::cancel(EventId id) {
  const auto node = events_.extract(id);
  if (!node.empty()) pending_.erase({node.mapped().when, id});
}

void SimLoop::post(HostId host, Callback callback) {
  const auto found = hosts_.find(host);
  if (found != hosts_.end() && !found->second.has_stopped) found->second.posted.push_back(std::move(callback));
}

void SimLoop::stop(HostId host) {
  if (const auto found = hosts_.find(host); found != hosts_.end()) found->second.stop_requested = true;
}

void SimLoop::on_stop(HostId host, Callback callback) {
  if (const auto found = hosts_.find(host); found != hosts_.end()) found->second.on_stop = std::move(callback);
}

bool SimLoop::has_stopped(HostId host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() || found->second.has_stopped;
}

bool SimLoop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (!step()) return false;
  }
  return true;
}

bool SimLoop::run_host_until(HostId host, const std::function<bool()>& done) {
  if (const auto found = hosts_.find(host); found != hosts_.end()) ++found->second.own_runs;
  bool is_done = false;
  run_until([&] {
    is_done = !has_stopped(host) && done();
    return is_done || has_stopped(host);
  });
  if (const auto found = hosts_.find(host); found != hosts_.end()) {
    --found->second.own_runs;
    found->second.has_stopped = false;
    found->second.stop_requested = false;
  }
  return is_done;
}

bool SimLoop::Host::has_work() const {
  if (has_stopped) return false;
  return stop_requested || took_posted || !turn.empty() || !ready_input.empty() || !due_timers.empty() ||
         !posted.empty();
}

// Runs one callback of one host. False when there is none and never will be.
bool SimLoop::step() {
  while (!is_out_of_steps()) {
    collect_due();
    std::vector<HostId> runnable;
    for (const auto& [id, host] : hosts_)
      if (host.has_work()) runnable.push_back(id);
    if (runnable.empty()) {
      if (!jump_to_next_event()) return false;
      continue;
    }
    const HostId id = runnable[random_.below(runnable.size())];
    Host& host = hosts_.at(id);
    const Callback callback = next_callback(host);
    if (!callback) {
      end_turn(id, host);
      continue;
    }
    ++steps_;
    callback();  // may kill the host: nothing is touched after it
    return true;
  }
  return false;
}

void SimLoop::collect_due() {
  while (!pending_.empty() && pending_.begin()->first <= clock_.now()) {
    const EventId id = pending_.begin()->second;
    pending_.erase(pending_.begin());
    const Event& event = events_.at(id);
    Host& host = hosts_.at(event.host);
    (event.kind == Kind::input ? host.ready_input : host.due_timers).push_back(id);
  }
}

bool SimLoop::jump_to_next_event() {
  if (pending_.empty()) return false;
  // Time without end is the same as never.
  if (pending_.begin()->first == Instant::max()) return false;
  clock_.advance_to(pending_.begin()->first);
  return true;
}

// Input in drawn order: nobody may rely on which descriptor the kernel names first.
// Timers keep theirs, as they do in the real loop.
void SimLoop::begin_turn(Host& host) {
  random_.shuffle(host.ready_input);
  host.turn.insert(host.turn.end(), host.ready_input.begin(), host.ready_input.end());
  host.turn.insert(host.turn.end(), host.due_timers.begin(), host.due_timers.end());
  host.ready_input.clear();
  host.due_timers.clear();
}

Callback SimLoop::next_callback(Host& host) {
  if (!host.took_posted && host.turn.empty()) begin_turn(host);
  while (!host.turn.empty()) {
    const EventId id = host.turn.front();
    host.turn.pop_front();
    // Taken back meanwhile when it is not there.
    if (auto node = events_.extract(id)) return std::move(node.mapped().callback);
  }
  if (!host.took_posted) {
    host.took_posted = true;
    for (auto& callback : host.posted) host.turn_posted.push_back(std::move(callback));
    host.posted.clear();
  }
  if (host.turn_posted.empty()) return nullptr;
  Callback callback = std::move(host.turn_posted.front());
  host.turn_posted.pop_front();
  return callback;
}

void SimLoop::end_turn(HostId id, Host& host) {
  host.took_posted = false;
  if (!host.stop_requested) return;
  host.stop_requested = false;
  host.has_stopped = true;
  if (host.own_runs == 0) freeze(id, host);
}

void SimLoop::freeze(HostId id, Host& host) {
  const auto posted = std::exchange(host.posted, {});
  if (host.on_stop) post(kNobody, std::exchange(host.on_stop, nullptr));
  drop_events(id);
}

}  // namespace teamster::env::sim
