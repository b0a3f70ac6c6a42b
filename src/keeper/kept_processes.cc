#include "keeper/kept_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/check.h"
#include "env/file_error.h"
#include "env/real/fd_stream.h"
#include "env/real/program_arguments.h"
#include "keeper/child_start.h"
#include "keeper/process_tree.h"

namespace teamster::keeper {
namespace {

using env::real::Descriptor;

struct Pipe {
  Descriptor reader, writer;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(env::file_error(errno, "make", "a pipe"));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor non_blocking(Descriptor end) {
  ::fcntl(end.number(), F_SETFL, O_NONBLOCK);
  return end;
}

}  // namespace

// A child as the host sees it: our ends of its pipes, and a number known to the keeper.
class KeptChild : public env::Child {
 public:
  struct Pipes {
    Descriptor input, output, errors;
  };

  KeptChild(KeptProcesses& owner, std::int64_t id, std::int64_t pid, Pipes pipes)
      : owner_(&owner),
        id_(id),
        pid_(pid),
        input_(owner.loop_, std::move(pipes.input)),
        output_(owner.loop_, std::move(pipes.output)),
        errors_(owner.loop_, std::move(pipes.errors)),
        later_(owner.loop_) {
    owner.children_[id] = this;
  }
  ~KeptChild() override {
    if (owner_ == nullptr) return;
    owner_->children_.erase(id_);
    owner_->send({.kind = Packet::Kind::end, .child = id_, .number = 0});
  }

  std::int64_t pid() const override { return pid_; }
  void on_exit(std::function<void(env::ExitStatus)> callback) override {
    on_exit_ = std::move(callback);
    if (status_) later_.call([this] { tell(); });
  }
  env::Stream& input() override { return input_; }
  env::Stream& output() override { return output_; }
  env::Stream& errors() override { return errors_; }
  void signal_group(int number) override {
    if (owner_ != nullptr) owner_->send({.kind = Packet::Kind::signal, .child = id_, .number = number});
  }

  void exited(env::ExitStatus status) {
    if (status_) return;
    status_ = status;
    if (on_exit_) tell();
  }
  void abandon() { owner_ = nullptr; }

 private:
  void tell() {
    // Moved out: the callback may destroy this child.
    if (const auto callback = std::exchange(on_exit_, nullptr)) callback(*status_);
  }

  KeptProcesses* owner_;  // nullptr: it is gone, and so is the child
  const std::int64_t id_;
  const std::int64_t pid_;
  env::real::FdStream input_, output_, errors_;
  std::function<void(env::ExitStatus)> on_exit_;
  std::optional<env::ExitStatus> status_;
  env::Later later_;
};

KeptProcesses::KeptProcesses(env::real::EpollLoop& loop, env::Processes& real, Words keeper_words)
    : loop_(loop), real_(real), keeper_words_(std::move(keeper_words)), later_(loop) {}

KeptProcesses::~KeptProcesses() {
  for (const auto& [id, child] : children_) child->abandon();
  packets_.reset();
  channel_.reset();  // the keeper sees it, ends all and goes
  if (keeper_.pid != 0)
    while (::waitpid(static_cast<pid_t>(keeper_.pid), nullptr, 0) < 0 && errno == EINTR) {
    }
}

Result<void> KeptProcesses::start_keeper() {
  raise_descriptor_limit();
  auto [ours, theirs] = TRY(Channel::make_pair());
  const std::vector<std::string> words = keeper_words_();
  const std::vector<std::string> variables = {"PATH=/usr/bin:/bin"};
  const env::real::ProgramArguments arguments(words);
  const env::real::ProgramArguments environment(variables);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  // On its standard input: the one descriptor whose number both sides know.
  ::posix_spawn_file_actions_adddup2(&actions, theirs.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  pid_t pid = 0;
  // The program that runs here, not what lies at its path by now: that may be a newer one, or an agent's.
  const int error_number = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.get(), environment.get());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error_number != 0) return fail(env::file_error(error_number, "start the keeper", real_.own_executable()));
  auto identity = real_.identify(pid);
  keeper_ = identity ? *std::move(identity) : env::ProcessIdentity{pid, 0, ""};
  channel_ = std::make_unique<Channel>(std::move(ours));
  packets_ = loop_.watch_fd(channel_->number(), EPOLLIN, [this](std::uint32_t) { take_packets(); });
  return {};
}

Result<std::unique_ptr<env::Child>> KeptProcesses::spawn(const env::Spawn& spawn) {
  if (!channel_) TRY_VOID(start_keeper());
  Pipe input = TRY(make_pipe());
  Pipe output = TRY(make_pipe());
  Pipe errors = TRY(make_pipe());
  const std::int64_t id = ++last_child_;
  TRY_VOID(channel_->send({.kind = Packet::Kind::spawn, .child = id, .spawn = spawn},
                          {input.reader.number(), output.writer.number(), errors.writer.number()}));
  for (;;) {
    auto received = channel_->receive(true);
    if (!received) {
      later_.call([this] { keeper_is_gone(); });
      return fail(received.error().within(fmt::format("cannot start {}", spawn.program)));
    }
    if (!*received) continue;
    const Packet packet = std::move((*received)->packet);
    if (packet.child == id && packet.kind == Packet::Kind::failed) {
      const std::string where = spawn.directory.empty() ? "" : fmt::format(" in {}", spawn.directory);
      return fail(env::file_error(static_cast<int>(packet.number), "start", spawn.program + where));
    }
    if (packet.child == id && packet.kind == Packet::Kind::started)
      return std::make_unique<KeptChild>(
          *this, id, packet.number,
          KeptChild::Pipes{non_blocking(std::move(input.writer)), non_blocking(std::move(output.reader)),
                           non_blocking(std::move(errors.reader))});
    // News of another child: from the loop, as always.
    later_.call([this, packet] { take(packet); });
  }
}

void KeptProcesses::take_packets() {
  while (channel_) {
    auto received = channel_->receive(false);
    if (!received) return keeper_is_gone();
    if (!*received) return;
    take((*received)->packet);
  }
}

void KeptProcesses::take(const Packet& packet) {
  if (packet.kind != Packet::Kind::exited) return;
  const auto child = children_.find(packet.child);
  if (child != children_.end())
    child->second->exited({.signaled = packet.signaled, .code = static_cast<int>(packet.number)});
}

void KeptProcesses::keeper_is_gone() {
  if (!channel_) return;
  packets_.reset();
  channel_.reset();
  // It may live and be deaf; then it must not go on beside the next one.
  ::kill(static_cast<pid_t>(keeper_.pid), SIGKILL);
  while (::waitpid(static_cast<pid_t>(keeper_.pid), nullptr, 0) < 0 && errno == EINTR) {
  }
  // Its children died with it; what they had started did not.
  end_marked([mark = mark_of_keeper(keeper_)](const std::string& other) { return other == mark; });
  keeper_ = {};
  auto children = children_;
  for (const auto& [id, child] : children)
    if (children_.contains(id)) child->exited({.signaled = true, .code = SIGKILL});
}

void KeptProcesses::send(const Packet& packet) {
  if (channel_) (void)channel_->send(packet);
}

int end_leftovers(env::Processes& processes) {
  return end_marked([&](const std::string& mark) {
    // PID-TICKS-BOOT, as mark_of_keeper writes it.
    const auto pid_end = mark.find('-');
    const auto identity =
        pid_end == mark.npos ? std::nullopt : processes.identify(std::strtoll(mark.c_str(), nullptr, 10));
    return !identity || mark_of_keeper(*identity) != mark;
  });
}

}  // namespace teamster::keeper
