#include "project/program.h"

#include <csignal>

#include <fmt/format.h>

#include "agent/process.h"
#include "base/check.h"

namespace teamster::engine {

ProgramOptions shell_command(const env::World& world, const std::string& command, const std::string& directory) {
  ProgramOptions options;
  options.arguments = {"/bin/sh", "-c", command};
  options.directory = directory;
  options.environment = world.processes.environment();
  // What the program itself can do, a command of a workflow can use.
  const std::string own = world.processes.own_executable();
  const std::size_t slash = own.rfind('/');
  if (slash == std::string::npos || slash == 0) return options;
  const std::string path = world.processes.variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  std::erase_if(options.environment, [](const std::string& entry) { return entry.starts_with("PATH="); });
  options.environment.push_back(fmt::format("PATH={}:{}", own.substr(0, slash), path));
  return options;
}

std::string describe(const ProgramOutcome& outcome) {
  if (outcome.how == ProgramOutcome::How::timed_out)
    return fmt::format("took longer than {} and was ended", describe_duration(outcome.limit));
  return agent::describe(
      env::ExitStatus{.signaled = outcome.how == ProgramOutcome::How::signaled, .code = outcome.code});
}

Result<std::unique_ptr<Program>> Program::start(const env::World& world, const ProgramOptions& options, Done done) {
  CHECK(!options.arguments.empty());
  env::Spawn spawn{options.arguments.front(), options.arguments, options.environment, options.directory};
  auto child = TRY(world.processes.spawn(spawn));
  return std::make_unique<Program>(world.loop, std::move(child), options, std::move(done));
}

Program::Program(env::Loop& loop, std::unique_ptr<env::Child> child, const ProgramOptions& options, Done done)
    : loop_(loop),
      child_(std::move(child)),
      done_(std::move(done)),
      limit_(options.limit),
      kept_bytes_(options.output_kept_bytes) {
  child_->on_exit([this](env::ExitStatus status) {
    status_ = status;
    timer_ = loop_.after(limits::kProgramDrainDeadline, [this] { report(); });
    report_if_ended();
  });
  listen(child_->output(), true);
  listen(child_->errors(), false);
  child_->input().finish_writing();
  timer_ = loop_.after(limit_, [this] { end_late(); });
}

// Cut now and then and not at each piece, which would copy all of it each time.
void Program::Tail::add(std::string_view more, std::size_t kept_bytes, bool& is_cut) {
  bytes += more;
  if (bytes.size() > 2 * kept_bytes) trim(kept_bytes, is_cut);
}

void Program::Tail::trim(std::size_t kept_bytes, bool& is_cut) {
  if (bytes.size() <= kept_bytes) return;
  bytes.erase(0, bytes.size() - kept_bytes);
  is_cut = true;
}

void Program::listen(env::Stream& stream, bool is_answer) {
  stream.start({.on_bytes =
                    [this, is_answer](std::string_view bytes) {
                      output_.add(bytes, kept_bytes_, is_cut_);
                      if (is_answer) answer_.add(bytes, kept_bytes_, is_cut_);
                    },
                .on_end =
                    [this] {
                      --open_pipes_;
                      report_if_ended();
                    },
                .on_drained = nullptr});
}

void Program::end_late() {
  is_late_ = true;
  child_->signal_group(SIGTERM);
  timer_ = loop_.after(limits::kProgramTermGrace, [this] { child_->signal_group(SIGKILL); });
}

void Program::report_if_ended() {
  if (status_ && open_pipes_ == 0) report();
}

void Program::report() {
  timer_.reset();
  using How = ProgramOutcome::How;
  ProgramOutcome outcome;
  outcome.how = is_late_ ? How::timed_out : status_->signaled ? How::signaled : How::exited;
  outcome.code = status_->code;
  outcome.limit = limit_;
  output_.trim(kept_bytes_, is_cut_);
  answer_.trim(kept_bytes_, is_cut_);
  outcome.output = std::move(output_.bytes);
  outcome.answer = std::move(answer_.bytes);
  outcome.is_cut = is_cut_;
  // Moved out: whoever is told may destroy this.
  const auto done = std::exchange(done_, nullptr);
  if (done) done(outcome);
}

}  // namespace teamster::engine
