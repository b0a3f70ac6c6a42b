#include "agent/process.h"

#include <csignal>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::agent {

namespace {

constexpr int kStreams = 2;

}  // namespace

std::string describe(env::ExitStatus status) {
  return status.signaled ? fmt::format("was killed by signal {}", status.code)
                         : fmt::format("exited with code {}", status.code);
}

Result<std::unique_ptr<Process>> Process::start(const env::World& world, const env::Spawn& spawn, Handlers handlers) {
  auto child = TRY(world.processes.spawn(spawn));
  return std::make_unique<Process>(world, std::move(child), std::move(handlers));
}

Process::Process(const env::World& world, std::unique_ptr<env::Child> child, Handlers handlers)
    : world_(world), child_(std::move(child)), handlers_(std::move(handlers)) {
  child_->on_exit([this](env::ExitStatus status) { exited(status); });
  child_->output().start({.on_bytes = [this](std::string_view bytes) { handlers_.on_output(bytes); },
                          .on_end = [this] { stream_ended(); },
                          .on_drained = nullptr});
  child_->errors().start({.on_bytes = [this](std::string_view bytes) { keep_errors(bytes); },
                          .on_end = [this] { stream_ended(); },
                          .on_drained = nullptr});
}

void Process::keep_errors(std::string_view bytes) {
  errors_ += bytes;
  if (errors_.size() <= 2 * limits::kAgentErrorsKeptBytes) return;
  errors_.erase(0, errors_.size() - limits::kAgentErrorsKeptBytes);
  errors_cut_ = true;
}

void Process::close() {
  if (std::exchange(closing_, true)) return;
  if (status_) return;
  child_->input().finish_writing();
  timer_ = world_.loop.after(limits::kAgentCloseGrace, [this] { terminate(); });
}

void Process::terminate() {
  closing_ = true;
  if (status_) return;
  child_->signal_group(SIGTERM);
  timer_ = world_.loop.after(limits::kAgentTermGrace, [this] { child_->signal_group(SIGKILL); });
}

void Process::exited(env::ExitStatus status) {
  status_ = status;
  if (streams_ended_ == kStreams) return finish();
  // What it started may hold its output open.
  timer_ = world_.loop.after(limits::kAgentDrainDeadline, [this] { finish(); });
}

void Process::stream_ended() {
  if (++streams_ended_ == kStreams && status_) finish();
}

void Process::finish() {
  timer_.reset();
  std::string what = describe(*status_);
  std::string_view errors = trimmed(errors_);
  if (errors.size() > limits::kAgentErrorsKeptBytes) {
    errors.remove_prefix(errors.size() - limits::kAgentErrorsKeptBytes);
    errors_cut_ = true;
  }
  if (!errors.empty()) what += fmt::format("; it said: {}{}", errors_cut_ ? "…" : "", errors);
  // Moved out: the handler may destroy us.
  const auto on_ended = std::exchange(handlers_.on_ended, nullptr);
  if (on_ended) on_ended(*status_, what);
}

}  // namespace teamster::agent
