#include "rehearsal/played_engine.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

// What an engine left behind may keep its pipes open.
constexpr Duration kDrainMax = 2s;

// What the user has set for teamster is for homes of theirs.
std::vector<std::string> environment_of(env::Processes& processes, const EngineStart& start) {
  std::vector<std::string> environment;
  for (const auto& variable : processes.environment())
    if (!variable.starts_with("TEAMSTER_")) environment.push_back(variable);
  environment.push_back("TEAMSTER_HOME=" + start.home);
  if (start.is_coloured) environment.emplace_back("CLICOLOR_FORCE=1");
  return environment;
}

// Bytes of a stream, passed on when their line is complete; one that is very long comes in pieces.
class WholeLines {
 public:
  explicit WholeLines(PlayedEngine::Output output) : output_(std::move(output)) {}

  void add(std::string_view bytes) {
    kept_ += bytes;
    const std::size_t end = kept_.size() > kKeptMax ? kept_.size() : kept_.rfind('\n') + 1;  // npos + 1 is 0
    if (end == 0) return;
    output_(std::string_view(kept_).substr(0, end));
    kept_.erase(0, end);
  }
  void end() {
    if (!kept_.empty()) output_(std::exchange(kept_, {}) + "\n");
  }

 private:
  static constexpr std::size_t kKeptMax = 64UL * 1024;

  PlayedEngine::Output output_;
  std::string kept_;
};

}  // namespace

Result<std::unique_ptr<PlayedEngine>> PlayedEngine::start(const env::World& world, const EngineStart& start,
                                                          const Output& output) {
  env::Spawn spawn;
  spawn.program = world.processes.own_executable();
  spawn.arguments = {spawn.program};
  spawn.arguments.insert(spawn.arguments.end(), start.words.begin(), start.words.end());
  spawn.environment = environment_of(world.processes, start);
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
  const auto lines = std::make_shared<WholeLines>(output);
  stream.start({.on_bytes = [lines](std::string_view bytes) { lines->add(bytes); },
                .on_end =
                    [this, lines] {
                      lines->end();
                      --open_pipes_;
                    },
                .on_drained = [] {}});
}

env::ExitStatus PlayedEngine::wait() {
  world_.loop.run_until([this] {
    if (status_ && open_pipes_ > 0 && !drain_) drain_ = world_.loop.after(kDrainMax, [this] { is_late_ = true; });
    return status_ && (open_pipes_ == 0 || is_late_);
  });
  return *status_;
}

}  // namespace teamster::cli
