#include "verify/bounded_program.h"

#include <csignal>

#include "base/check.h"
#include "base/limits.h"
#include "env/clock.h"

namespace teamster::verify {

Result<std::unique_ptr<BoundedProgram>> BoundedProgram::start(const env::World& world, const ProgramRequest& request,
                                                              Done done) {
  CHECK(!request.arguments.empty());
  env::Spawn spawn{request.arguments.front(), request.arguments, request.environment, request.directory};
  auto child = TRY(world.processes.spawn(spawn));
  return std::make_unique<BoundedProgram>(world, std::move(child), request, std::move(done));
}

BoundedProgram::BoundedProgram(const env::World& world, std::unique_ptr<env::Child> child,
                               const ProgramRequest& request, Done done)
    : world_(world),
      child_(std::move(child)),
      done_(std::move(done)),
      began_(world.clock.now()),
      output_(request.bounds) {
  child_->on_exit([this](env::ExitStatus status) {
    status_ = status;
    timer_ = world_.loop.after(limits::kProgramDrainDeadline, [this] { report(); });
    report_if_ended();
  });
  using From = OutputKeeper::From;
  listen(child_->output(), From::output);
  listen(child_->errors(), request.keeps_errors ? std::optional(From::errors) : std::nullopt);
  child_->input().finish_writing();
  timer_ = world_.loop.after(request.limit, [this] { end_late(); });
}

void BoundedProgram::listen(env::Stream& stream, std::optional<OutputKeeper::From> from) {
  stream.start({.on_bytes =
                    [this, from](std::string_view bytes) {
                      if (from) output_.add(*from, bytes);
                    },
                .on_end =
                    [this] {
                      --open_pipes_;
                      report_if_ended();
                    },
                .on_drained = nullptr});
}

void BoundedProgram::end_late() {
  is_late_ = true;
  child_->signal_group(SIGTERM);
  timer_ = world_.loop.after(limits::kProgramTermGrace, [this] { child_->signal_group(SIGKILL); });
}

void BoundedProgram::report_if_ended() {
  if (status_ && open_pipes_ == 0) report();
}

void BoundedProgram::report() {
  timer_.reset();
  using How = ProgramEnd::How;
  output_.finish();
  ProgramEnd end{.how = is_late_            ? How::timed_out
                        : status_->signaled ? How::signaled
                                            : How::exited,
                 .code = status_->code,
                 .took = world_.clock.now() - began_,
                 .output = std::move(output_)};
  // Moved out: whoever is told may destroy this.
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(end));
}

}  // namespace teamster::verify
