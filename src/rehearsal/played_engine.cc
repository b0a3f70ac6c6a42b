#include "rehearsal/played_engine.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

// What an engine left behind may keep its pipes open.
constexpr Duration kDrainMax = 2s;

// What the user has set for teamster is for homes of theirs.
std::vector<std::string> environment_with_home(env::Processes& processes, const std::string& home) {
  std::vector<std::string> environment;
  for (const auto& variable : processes.environment())
    if (!variable.starts_with("TEAMSTER_")) environment.push_back(variable);
  environment.push_back("TEAMSTER_HOME=" + home);
  return environment;
}

}  // namespace

Result<std::unique_ptr<PlayedEngine>> PlayedEngine::start(const env::World& world, const EngineStart& start,
                                                          const Output& output) {
  env::Spawn spawn;
  spawn.program = world.processes.own_executable();
  spawn.arguments = {spawn.program};
  spawn.arguments.insert(spawn.arguments.end(), start.words.begin(), start.words.end());
  spawn.environment = environment_with_home(world.processes, start.home);
  spawn.directory = start.directory;
  return std::make_unique<PlayedEngine>(world, TRY(world.processes.spawn(spawn)), output);
}

PlayedEngine::PlayedEngine(const env::World& world, std::unique_ptr<env::Child> child, const Output& output)
    : world_(world), child_(std::move(child)) {
  child_->on_exit([this](env::ExitStatus ended) { status_ = ended; });
  pass_on(child_->output(), output);
  pass_on(child_->errors(), output);
}

void PlayedEngine::pass_on(env::Stream& stream, const Output& output) {
  stream.start({.on_bytes = output, .on_end = [this] { --open_pipes_; }, .on_drained = [] {}});
}

env::ExitStatus PlayedEngine::wait() {
  world_.loop.run_until([this] {
    if (status_ && open_pipes_ > 0 && !drain_) drain_ = world_.loop.after(kDrainMax, [this] { is_late_ = true; });
    return status_ && (open_pipes_ == 0 || is_late_);
  });
  return *status_;
}

}  // namespace teamster::cli
