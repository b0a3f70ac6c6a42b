#include "keeper/keeper.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/limits.h"
#include "env/lineage.h"
#include "env/real/world.h"
#include "keeper/process_tree.h"

namespace teamster::keeper {

Keeper::Keeper(env::real::EpollLoop& loop, Channel channel, std::string mark, std::function<void()> done)
    : loop_(loop),
      channel_(std::move(channel)),
      mark_(std::move(mark)),
      done_(std::move(done)),
      limit_(raise_descriptor_limit()) {
  packets_ = loop_.watch_fd(channel_.number(), EPOLLIN, [this](std::uint32_t) { take_packets(); });
  deaths_ = loop_.watch_signal(SIGCHLD, [this] { look_soon(); });
}

void Keeper::take_packets() {
  while (!host_gone_) {
    auto received = channel_.receive(false);
    if (!received) return host_is_gone();
    if (!*received) return;
    take(**std::move(received));
  }
}

void Keeper::take(Received received) {
  const Packet& packet = received.packet;
  if (packet.kind == Packet::Kind::spawn) return start(std::move(received));
  const auto child = children_.find(packet.child);
  if (child == children_.end()) return;
  // The group lives as long as its leader is not reaped, so the number is still its own.
  if (packet.kind == Packet::Kind::signal) ::kill(-child->second.pid, static_cast<int>(packet.number));
  if (packet.kind == Packet::Kind::end) end(packet.child, std::chrono::milliseconds(packet.number));
}

void Keeper::start(Received received) {
  const std::int64_t id = received.packet.child;
  constexpr std::size_t kStreams = 3;
  if (received.descriptors.size() != kStreams || children_.contains(id))
    return tell({.kind = Packet::Kind::failed, .child = id, .number = EINVAL});
  env::Spawn& spawn = received.packet.spawn;
  spawn.environment.push_back(fmt::format("{}={}", kKeeperVariable, mark_));
  spawn.environment.push_back(fmt::format("{}={}", kChildVariable, id));
  const auto& streams = received.descriptors;
  const pid_t pid = start_child(spawn, {streams[0].number(), streams[1].number(), streams[2].number()}, limit_);
  if (pid < 0) {
    look_soon();  // a child whose exec failed has left a zombie
    return tell({.kind = Packet::Kind::failed, .child = id, .number = -pid});
  }
  Child child;
  child.pid = pid;
  child.process = env::real::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!child.process) {
    const int error_number = errno;
    ::kill(-pid, SIGKILL);
    reap(child);
    return tell({.kind = Packet::Kind::failed, .child = id, .number = error_number});
  }
  Child& kept = children_.emplace(id, std::move(child)).first->second;
  leaders_.insert(pid);
  kept.watch = loop_.watch_fd(kept.process.number(), EPOLLIN, [this, id](std::uint32_t) { look_for_exit(id); });
  tell({.kind = Packet::Kind::started, .child = id, .number = pid});
}

void Keeper::look_for_exit(std::int64_t id) {
  Child& child = children_.at(id);
  siginfo_t result{};
  // WNOWAIT: the zombie keeps the number of the group ours until the group is empty.
  if (::waitid(P_PID, static_cast<id_t>(child.pid), &result, WEXITED | WNOHANG | WNOWAIT) != 0 || result.si_pid == 0)
    return;
  child.watch.reset();
  child.exited = true;
  tell({.kind = Packet::Kind::exited,
        .child = id,
        .number = result.si_status,
        .signaled = result.si_code != CLD_EXITED});
  end(id, limits::kKeeperGrace);
}

void Keeper::end(std::int64_t id, Duration grace) {
  ending_.insert(id);
  Child& child = children_.at(id);
  if (grace <= Duration::zero()) {
    child.hard = true;
    // At once for the group, whose number is ours as long as its leader is not reaped.
    ::kill(-child.pid, SIGKILL);
  } else if (!child.harder) {
    child.harder = loop_.after(grace, [this, id] {
      children_.at(id).hard = true;
      look_soon();
    });
  }
  look_soon();
}

void Keeper::host_is_gone() {
  host_gone_ = true;
  packets_.reset();
  for (const auto& [id, child] : children_) end(id, limits::kKeeperGrace);
  give_up_ = loop_.after(limits::kKeeperGiveUp, done_);
  look_soon();
}

// Children of ours that we did not start: their parents died.
std::vector<pid_t> Keeper::orphans() const {
  std::vector<pid_t> adopted = children_of(::getpid());
  std::erase_if(adopted, [this](pid_t pid) { return leaders_.contains(pid); });
  return adopted;
}

bool Keeper::has_gone(std::int64_t id, Child& child, const std::vector<pid_t>& orphans) {
  // An orphan that shows no environment may be becoming another program, and show its mark at
  // the next look; or it never had one.
  constexpr int kDoubtsMax = 20;
  bool any = !child.exited;
  std::vector<pid_t> unasked;
  for (const pid_t orphan : orphans) {
    if (::getpgid(orphan) == child.pid || child.orphans.contains(orphan)) {
      any = true;
      continue;
    }
    const std::string environment = environment_of(orphan);
    any = any || (environment.empty() && !host_gone_ && ++child.doubts <= kDoubtsMax);
    if (variable_in(environment, kChildVariable) != std::to_string(id)) continue;
    any = true;
    child.orphans.insert(orphan);
    unasked.push_back(orphan);
  }
  if (!any) return true;
  if (child.hard || !std::exchange(child.asked, true)) ::kill(-child.pid, child.hard ? SIGKILL : SIGTERM);
  if (child.hard) unasked.assign(child.orphans.begin(), child.orphans.end());
  for (const pid_t pid : unasked) ::kill(pid, child.hard ? SIGKILL : SIGTERM);
  return false;
}

void Keeper::reap(const Child& child) {
  siginfo_t ignored{};
  while (::waitid(P_PID, static_cast<id_t>(child.pid), &ignored, WEXITED) != 0 && errno == EINTR) {
  }
}

// Buries what has died and finds out which children have left nothing.
void Keeper::look() {
  std::vector<pid_t> adopted = orphans();
  std::erase_if(adopted, [this](pid_t pid) {
    if (::waitpid(pid, nullptr, WNOHANG) != pid) return false;
    for (auto& [id, child] : children_) child.orphans.erase(pid);
    return true;
  });
  for (auto it = ending_.begin(); it != ending_.end();) {
    const auto child = children_.find(*it);
    if (!has_gone(child->first, child->second, adopted)) {
      ++it;
      continue;
    }
    reap(child->second);
    tell({.kind = Packet::Kind::gone, .child = child->first});
    leaders_.erase(child->second.pid);
    children_.erase(child);
    it = ending_.erase(it);
  }
  if (host_gone_ && children_.empty()) {
    // What hides its mark belonged to one of them.
    for (const pid_t orphan : adopted) ::kill(orphan, SIGKILL);
    if (children_of(::getpid()).empty()) return done_();
  }
  if (!ending_.empty() || host_gone_) look_again_ = loop_.after(limits::kKeeperLook, [this] { look(); });
}

// Once for all that happens in one turn of the loop: a look reads /proc.
void Keeper::look_soon() {
  if (std::exchange(is_look_posted_, true)) return;
  loop_.post(bond_.tie([this] {
    is_look_posted_ = false;
    look();
  }));
}

void Keeper::tell(const Packet& packet) {
  // A host that does not hear it is gone, which the channel tells by itself.
  if (!host_gone_) (void)channel_.send(packet);
}

int run_keeper(int socket) {
  ::setsid();  // Ctrl-C in the host's terminal is for the host
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, env::kKeeperName);  // before the first child: who is below us is no operator
  env::real::World world;
  auto& loop = world.loop();
  Keeper keeper(loop, Channel(env::real::Descriptor(socket)), mark_of_keeper(world.view().processes.self()),
                [&loop] { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace teamster::keeper
