// FakeProgram: a child with pipes that a test plays by hand: it sees what was written to it
// and which signals came, writes, and ends when the test says so. FakeProcesses starts them
// instead of real ones. Owned by the test; driven by the simulated loop of its host.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/processes.h"
#include "env/sim/sim_world.h"

namespace teamster::agent {

struct FakeProgram {
  env::Spawn spawn;
  std::int64_t pid = 0;
  std::string input;  // what was written to it
  bool input_ended = false;
  std::vector<int> signals;
  bool is_kept = true;  // false: its owner has dropped it, which ends it

  void write(std::string_view bytes) const {
    if (output_handlers.on_bytes) output_handlers.on_bytes(bytes);
  }
  void complain(std::string_view bytes) const {
    if (error_handlers.on_bytes) error_handlers.on_bytes(bytes);
  }
  // Of both streams.
  void end_output() const {
    const auto ends = {output_handlers.on_end, error_handlers.on_end};
    for (const auto& on_end : ends)
      if (on_end) on_end();
  }
  // Without the end of its output: something it started may hold that open.
  void exit_only(env::ExitStatus status) {
    if (auto callback = std::exchange(on_exit, nullptr)) callback(status);
  }
  void exit(int code) {
    end_output();
    exit_only({.signaled = false, .code = code});
  }
  void die_by(int signal) {
    end_output();
    exit_only({.signaled = true, .code = signal});
  }
  // What was written since the last look.
  std::string heard() { return std::exchange(input, {}); }

  env::Stream::Handlers output_handlers;
  env::Stream::Handlers error_handlers;
  std::function<void(env::ExitStatus)> on_exit;
};

class FakeProcesses : public env::Processes {
 public:
  explicit FakeProcesses(env::Processes& others) : others_(others) {}

  Result<std::unique_ptr<env::Child>> spawn(const env::Spawn& spawn) override {
    if (!refusal.empty()) return fail(Code::not_found, refusal);
    programs.push_back(std::make_shared<FakeProgram>());
    programs.back()->spawn = spawn;
    programs.back()->pid = 1000 + static_cast<std::int64_t>(programs.size());
    return std::unique_ptr<env::Child>(std::make_unique<FakeChild>(programs.back()));
  }
  Result<std::int64_t> spawn_detached(const env::Spawn& spawn) override { return others_.spawn_detached(spawn); }
  env::ProcessIdentity self() override { return others_.self(); }
  std::optional<env::ProcessIdentity> identify(std::int64_t pid) override { return others_.identify(pid); }
  bool is_alive(const env::ProcessIdentity& identity) override { return others_.is_alive(identity); }
  std::optional<env::SeenProcess> look_at(std::int64_t pid) override { return others_.look_at(pid); }
  std::vector<std::string> arguments_of(std::int64_t pid) override { return others_.arguments_of(pid); }
  std::optional<std::string> variable(const char* name) override { return others_.variable(name); }
  std::vector<std::string> environment() override { return others_.environment(); }
  std::string own_executable() override { return others_.own_executable(); }

  FakeProgram& last() { return *programs.back(); }
  // The host's world with these processes.
  env::World in(const env::World& view) {
    return {view.clock, view.loop, view.files, view.network, *this, view.random};
  }

  std::vector<std::shared_ptr<FakeProgram>> programs;
  std::string refusal;  // when not empty, nothing can be started

 private:
  class Pipe : public env::Stream {
   public:
    Pipe(std::shared_ptr<FakeProgram> program, env::Stream::Handlers FakeProgram::*handlers)
        : program_(std::move(program)), handlers_(handlers) {}
    void start(Handlers handlers) override {
      if (handlers_ != nullptr) (*program_).*handlers_ = std::move(handlers);
    }
    void write(std::string_view bytes) override { program_->input += bytes; }
    std::size_t unsent_bytes() const override { return 0; }
    void pause_reading(bool) override {}
    void finish_writing() override { program_->input_ended = true; }

   private:
    std::shared_ptr<FakeProgram> program_;
    env::Stream::Handlers FakeProgram::*handlers_;
  };

  class FakeChild : public env::Child {
   public:
    explicit FakeChild(const std::shared_ptr<FakeProgram>& program)
        : program_(program),
          input_(program, nullptr),
          output_(program, &FakeProgram::output_handlers),
          errors_(program, &FakeProgram::error_handlers) {}
    ~FakeChild() override {
      program_->is_kept = false;
      program_->output_handlers = {};
      program_->error_handlers = {};
      program_->on_exit = nullptr;
    }
    std::int64_t pid() const override { return program_->pid; }
    void on_exit(std::function<void(env::ExitStatus)> callback) override { program_->on_exit = std::move(callback); }
    env::Stream& input() override { return input_; }
    env::Stream& output() override { return output_; }
    env::Stream& errors() override { return errors_; }
    void signal_group(int number) override { program_->signals.push_back(number); }

   private:
    std::shared_ptr<FakeProgram> program_;
    Pipe input_, output_, errors_;
  };

  env::Processes& others_;
};

}  // namespace teamster::agent
