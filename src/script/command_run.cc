#include "script/command_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::script {

Result<std::unique_ptr<CommandRun>> CommandRun::start(const env::World& world, const std::string& command,
                                                      const std::vector<std::string>& environment, Done done) {
  auto child = TRY(world.processes.spawn({"/bin/sh", {"sh", "-c", command}, environment, ""}));
  return std::make_unique<CommandRun>(world.loop, std::move(child), std::move(done));
}

CommandRun::CommandRun(env::Loop& loop, std::unique_ptr<env::Child> child, Done done)
    : loop_(loop), child_(std::move(child)), done_(std::move(done)) {
  child_->on_exit([this](env::ExitStatus status) {
    status_ = status;
    deadline_ = loop_.after(limits::kScriptDrainDeadline, [this] { report(); });
    look();
  });
  listen(child_->output());
  listen(child_->errors());
  child_->input().finish_writing();
}

CommandRun::~CommandRun() = default;

void CommandRun::listen(env::Stream& stream) {
  stream.start({.on_bytes =
                    [this](std::string_view bytes) {
                      const std::size_t room = limits::kScriptCommandOutputMaxBytes - output_.size();
                      output_.append(bytes.substr(0, std::min(bytes.size(), room)));
                      left_out_ += bytes.size() - std::min(bytes.size(), room);
                    },
                .on_end =
                    [this] {
                      --open_pipes_;
                      look();
                    },
                .on_drained = nullptr});
}

void CommandRun::look() {
  if (status_ && open_pipes_ == 0) report();
}

void CommandRun::report() {
  Outcome outcome;
  outcome.exit = status_->signaled ? 128 + status_->code : status_->code;
  outcome.text = std::move(output_);
  while (outcome.text.ends_with('\n')) outcome.text.pop_back();
  if (left_out_ > 0) outcome.text += fmt::format("\n… {} bytes more", left_out_);
  // Moved out: whoever is told may destroy this.
  const auto done = std::move(done_);
  done(outcome);
}

}  // namespace teamster::script
