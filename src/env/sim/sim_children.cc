#include "env/sim/sim_children.h"

#include <csignal>

#include "base/limits.h"

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTellMax = 3ms;

// Of a pipe nothing is lost but what did not fit into it.
NetworkFaults faults_of_pipes() {
  NetworkFaults faults;
  faults.delay_max = 1ms;
  faults.lose_tail_of_killed = 0;
  return faults;
}

// Standard input and output as one stream, with the promises of real::StandardStreams.
class SimStandardStreams : public Stream {
 public:
  SimStandardStreams(std::unique_ptr<Stream> input, std::unique_ptr<Stream> output)
      : input_(std::move(input)), output_(std::move(output)) {}

  void start(Handlers handlers) override {
    handlers_ = std::make_shared<const Handlers>(std::move(handlers));
    input_->start({.on_bytes = handlers_->on_bytes, .on_end = [this] { end(); }, .on_drained = nullptr});
    output_->start({.on_bytes = nullptr, .on_end = [this] { end(); }, .on_drained = handlers_->on_drained});
  }
  void write(std::string_view bytes) override { output_->write(bytes); }
  std::size_t unsent_bytes() const override { return output_->unsent_bytes(); }
  void pause_reading(bool paused) override { input_->pause_reading(paused); }
  void finish_writing() override { output_->finish_writing(); }

 private:
  void end() {
    if (std::exchange(has_ended_, true)) return;
    const auto handlers = handlers_;
    if (handlers->on_end) handlers->on_end();
  }

  std::unique_ptr<Stream> input_;
  std::unique_ptr<Stream> output_;
  std::shared_ptr<const Handlers> handlers_;
  bool has_ended_ = false;
};

}  // namespace

// What the parent holds. Destroying it kills the process, unless it was the parent that died.
class SimChild : public Child {
 public:
  SimChild(SimChildren& children, std::shared_ptr<SimChildren::Process> process, std::int64_t pid)
      : children_(children),
        process_(std::move(process)),
        pid_(pid),
        input_(process_->input->stream(0)),
        output_(process_->output->stream(0)),
        errors_(process_->errors->stream(0)) {}
  ~SimChild() override {
    process_->on_exit = nullptr;
    if (children_.loop_.is_alive(process_->parent)) children_.signal(process_->host, SIGKILL);
  }
  SimChild(const SimChild&) = delete;
  SimChild& operator=(const SimChild&) = delete;

  std::int64_t pid() const override { return pid_; }
  void on_exit(std::function<void(ExitStatus)> callback) override {
    process_->on_exit = std::move(callback);
    if (process_->is_told) children_.tell(process_);
  }
  Stream& input() override { return *input_; }
  Stream& output() override { return *output_; }
  Stream& errors() override { return *errors_; }
  void signal_group(int number) override {
    if (children_.loop_.is_alive(process_->parent)) children_.signal(process_->host, number);
  }

 private:
  SimChildren& children_;
  const std::shared_ptr<SimChildren::Process> process_;
  const std::int64_t pid_;
  const std::unique_ptr<Stream> input_;
  const std::unique_ptr<Stream> output_;
  const std::unique_ptr<Stream> errors_;
};

SimChildren::SimChildren(SimLoop& loop, SimRandom random, std::function<void(HostId host)> kill)
    : loop_(loop), random_(random), kill_(std::move(kill)), pipes_(faults_of_pipes()) {}

std::unique_ptr<Child> SimChildren::add(HostId parent, HostId child, std::int64_t pid) {
  const auto pipe = [&] {
    return std::make_shared<SimConnection>(SimConnection::Surroundings{loop_, random_, pipes_}, parent, child);
  };
  auto process = std::make_shared<Process>();
  process->parent = parent;
  process->host = child;
  process->input = pipe();
  process->output = pipe();
  process->errors = pipe();
  process->complaints = process->errors->stream(1);
  living_[child] = process;
  return std::make_unique<SimChild>(*this, std::move(process), pid);
}

std::set<HostId> SimChildren::living_children_of(HostId parent) const {
  std::set<HostId> children;
  for (const auto& [host, process] : living_)
    if (process->parent == parent) children.insert(host);
  return children;
}

std::shared_ptr<SimChildren::Process> SimChildren::find(HostId child) const {
  const auto found = living_.find(child);
  return found == living_.end() ? nullptr : found->second;
}

std::unique_ptr<Stream> SimChildren::standard_streams(HostId child) {
  const auto process = find(child);
  if (!process) return nullptr;
  return std::make_unique<SimStandardStreams>(process->input->stream(1), process->output->stream(1));
}

void SimChildren::complain(HostId child, std::string_view text) {
  if (const auto process = find(child)) process->complaints->write(text);
}

Registration SimChildren::watch_signal(HostId child, int number, Callback callback) {
  const auto process = find(child);
  if (!process) return {};
  const std::uint64_t watch = ++last_watch_;
  process->watches[watch] = {number, std::make_shared<const Callback>(std::move(callback))};
  return Registration([weak = std::weak_ptr<Process>(process), watch] {
    if (const auto living = weak.lock()) living->watches.erase(watch);
  });
}

void SimChildren::exit(HostId child, ExitStatus status) {
  const auto process = find(child);
  if (process && !process->status) process->status = status;
  kill_(child);
}

void SimChildren::signal(HostId child, int number) {
  const auto process = find(child);
  if (!process) return;
  bool is_heard = false;
  for (const auto& [watch, entry] : process->watches) {
    if (entry.first != number || number == SIGKILL) continue;
    is_heard = true;
    loop_.post(child, [callback = entry.second] { (*callback)(); });
  }
  if (!is_heard) exit(child, {.signaled = true, .code = number});
}

void SimChildren::kill(HostId host) {
  if (const auto node = living_.extract(host)) {
    const auto process = node.mapped();
    process->ending.clear();
    process->watches.clear();
    for (const auto& pipe : {process->input, process->output, process->errors}) pipe->kill(host);
    if (!process->status) process->status = ExitStatus{.signaled = true, .code = SIGKILL};
    process->telling = loop_.schedule(process->parent, SimLoop::Kind::input, drawn_delay(),
                                      [this, weak = std::weak_ptr<Process>(process)] {
                                        const auto ended = weak.lock();
                                        if (!ended) return;
                                        ended->is_told = true;
                                        tell(ended);
                                      });
  }
  for (const HostId child : living_children_of(host)) {
    const auto process = find(child);
    for (const auto& pipe : {process->input, process->output, process->errors}) pipe->kill(host);
    end_orphan(process);
  }
}

// As Child::on_exit is called: once, from the loop of the parent.
void SimChildren::tell(const std::shared_ptr<Process>& process) {
  loop_.post(process->parent, [process] {
    // Moved out: whoever is told may destroy the child.
    if (const auto on_exit = std::exchange(process->on_exit, nullptr)) on_exit(*process->status);
  });
}

void SimChildren::end_orphan(const std::shared_ptr<Process>& process) {
  const Duration soon = drawn_delay();
  const auto later = [&](Duration delay, int number) {
    process->ending.push_back(loop_.schedule(kNobody, SimLoop::Kind::timer, delay,
                                             [this, child = process->host, number] { signal(child, number); }));
  };
  later(soon, SIGTERM);
  later(soon + limits::kKeeperGrace, SIGKILL);
}

Duration SimChildren::drawn_delay() {
  return Duration(random_.below(static_cast<std::uint64_t>(Duration(kTellMax).count()) + 1));
}

}  // namespace teamster::env::sim
