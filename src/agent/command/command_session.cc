#include "agent/command/command_session.h"

#include <fmt/format.h>

#include "agent/command/command_driver.h"
#include "base/limits.h"

namespace teamster::agent {

Result<void> CommandDriver::check(const env::World& world, const StartOptions& options) const {
  if (options.arguments.empty())
    return fail(Code::invalid, "the command driver needs a program",
                "Name it with its arguments: --driver 'command:PROGRAM ARGUMENTS'");
  if (find_on_path(world, options.arguments.front()).empty())
    return fail(Code::not_found, fmt::format("there is no program {} on PATH", options.arguments.front()),
                "Give its path");
  return {};
}

Result<std::unique_ptr<Session>> CommandDriver::start(const env::World& world, const StartOptions& options,
                                                      SessionListener& listener) const {
  TRY_VOID(check(world, options));
  const std::string program = find_on_path(world, options.arguments.front());
  env::Spawn spawn{program, options.arguments, options.environment, options.directory};
  return std::unique_ptr<Session>(std::make_unique<CommandSession>(world, std::move(spawn), options.limits, listener));
}

CommandSession::CommandSession(const env::World& world, env::Spawn spawn, const SessionLimits& limits,
                               SessionListener& listener)
    : world_(world), spawn_(std::move(spawn)), limits_(limits), listener_(listener), later_(world.loop) {}

CommandSession::~CommandSession() = default;

void CommandSession::say(SessionInput input) {
  waiting_.push_back(std::move(input));
  // From the loop, and so together with what else is said in this moment.
  if (!is_working() && waiting_.size() == 1) later_.call([this] { begin_turn(); });
}

void CommandSession::begin_turn() {
  if (is_working() || waiting_.empty() || closing_) return;
  running_ = std::exchange(waiting_, {});
  output_.clear();
  cut_by_us_.reset();
  listener_.on_turn_started();
  auto process = Process::start(
      world_, spawn_,
      {.on_output = [this](std::string_view bytes) { take_output(bytes); },
       .on_ended = [this](env::ExitStatus status, const std::string& what) { process_ended(status, what); }});
  if (!process) {
    cut_by_us_ = TurnEnd{.fault = Fault::crashed, .error = process.error().text()};
    return end_turn({});
  }
  process_ = *std::move(process);
  for (const auto& input : running_) {
    process_->write(input.text + "\n");
    listener_.on_input(input.id, InputState::accepted);
    listener_.on_input(input.id, InputState::taken);
  }
  process_->finish_writing();
  silence_ = world_.loop.after(limits_.silence, [this] {
    cut(Fault::silent, "the command said nothing for " + describe_duration(limits_.silence));
  });
  whole_turn_ = world_.loop.after(
      limits_.turn, [this] { cut(Fault::limit, "the turn took longer than " + describe_duration(limits_.turn)); });
}

void CommandSession::take_output(std::string_view bytes) {
  if (output_.size() + bytes.size() > limits::kAgentAnswerMaxBytes)
    return cut(Fault::protocol, fmt::format("the command wrote more than {} bytes", limits::kAgentAnswerMaxBytes));
  output_ += bytes;
  listener_.on_activity({.kind = Activity::Kind::text, .text = std::string(bytes)});
  silence_ = world_.loop.after(limits_.silence, [this] {
    cut(Fault::silent, "the command said nothing for " + describe_duration(limits_.silence));
  });
}

void CommandSession::cut(Fault fault, std::string why) {
  if (cut_by_us_ || !process_) return;
  cut_by_us_ = TurnEnd{.fault = fault, .error = std::move(why)};
  process_->terminate();
}

void CommandSession::interrupt() { cut(Fault::interrupted, "the turn was interrupted"); }

void CommandSession::process_ended(env::ExitStatus status, const std::string& what) {
  TurnEnd end;
  end.text = std::exchange(output_, {});
  end.stop_reason = describe(status);
  if (status.signaled || status.code != 0) {
    end.fault = Fault::crashed;
    end.error = "the command " + what;
  }
  // Not inside its own callback.
  world_.loop.post([gone = std::shared_ptr<Process>(std::move(process_))] {});
  end_turn(std::move(end));
}

void CommandSession::end_turn(TurnEnd end) {
  silence_.reset();
  whole_turn_.reset();
  if (cut_by_us_) {
    end.fault = cut_by_us_->fault;
    end.error = cut_by_us_->error;
  }
  const auto inputs = std::exchange(running_, {});
  for (const auto& input : inputs) {
    end.inputs.push_back(input.id);
    listener_.on_input(input.id, end.is_good() ? InputState::done : InputState::failed);
  }
  listener_.on_turn_ended(end);
  if (closing_) return listener_.on_ended({.expected = true, .what = "closed"});
  if (!waiting_.empty()) later_.call([this] { begin_turn(); });
}

void CommandSession::close() {
  if (std::exchange(closing_, true)) return;
  if (process_) return cut(Fault::interrupted, "the session was closed");
  later_.call([this] { listener_.on_ended({.expected = true, .what = "closed"}); });
}

}  // namespace teamster::agent
