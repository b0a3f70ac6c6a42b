#include "cli/commands/verify/agent_reviewers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/environment.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"
#include "verify/reviewer_profiles.h"

namespace teamster::cli {
namespace {

// Reading is what they are for; anything else has to be allowed by whoever calls the command.
constexpr const char* kReadingTools[] = {"Read", "Grep", "Glob", "LS"};

agent::StartOptions start_options(const AgentReviewersOptions& options) {
  agent::StartOptions start;
  start.team = "verify";
  start.member = "reviewer";
  start.directory = options.root;
  start.script = options.script;
  start.arguments = options.driver.command;
  start.limits.turn = options.limit;
  start.limits.silence = std::min<Duration>(start.limits.silence, options.limit);
  return start;
}

}  // namespace

Result<std::unique_ptr<AgentReviewers>> AgentReviewers::make(const env::World& world, AgentReviewersOptions options) {
  agent::PermissionPolicy::Rules rules{.allow = options.allow, .deny = {}, .allow_rest = false};
  for (const char* tool : kReadingTools) rules.allow.emplace_back(tool);
  auto permissions = TRY(agent::PermissionPolicy::make(rules));
  TRY_VOID(options.driver.driver->check(world, start_options(options)));
  return std::make_unique<AgentReviewers>(world, std::move(options), std::move(permissions));
}

AgentReviewers::AgentReviewers(const env::World& world, AgentReviewersOptions options,
                               agent::PermissionPolicy permissions)
    : world_(world), options_(std::move(options)), permissions_(std::move(permissions)), later_(world.loop) {}

AgentReviewers::~AgentReviewers() {
  for (auto& [directory, turn] : turns_) {
    turn.reset();
    (void)world_.files.remove_tree(directory);
  }
}

void AgentReviewers::review(const verify::Criterion& criterion, Done done) {
  const std::string temporary = world_.processes.variable("TMPDIR").value_or("");
  const std::string directory =
      fmt::format("{}/teamster-review-{}", temporary.empty() ? "/tmp" : temporary, world_.random.hex(8));
  auto options = turn_options(criterion, directory);
  if (!options) return later_.call([error = options.error(), done] { done(fail(error)); });
  turns_[directory] = std::make_unique<agent::LoneTurn>(
      world_, *std::move(options), [this, directory, done](const Result<Json>& answer) {
        // Not inside the turn that ends with it.
        later_.call([this, directory, answer, done] { answered(directory, answer, done); });
      });
}

Result<agent::LoneTurnOptions> AgentReviewers::turn_options(const verify::Criterion& criterion,
                                                            const std::string& directory) {
  TRY_VOID(world_.files.make_private_directory(directory + "/tmp"));
  agent::LoneTurnOptions turn;
  turn.driver = options_.driver.driver;
  turn.permissions = permissions_;
  turn.prompt = fmt::format("{}\n\n# What you are asked\n\n{}", TRY(verify::reviewer_instructions(criterion.agent)),
                            verify::review_request(criterion));
  turn.schema = verify::review_schema();
  turn.start = start_options(options_);
  turn.start.model = criterion.model;
  turn.start.private_directory = directory;
  turn.start.allowed_tools.assign(std::begin(kReadingTools), std::end(kReadingTools));
  agent::EnvironmentOptions environment;
  environment.home = options_.home;
  environment.private_directory = directory;
  environment.temporary_directory = directory + "/tmp";
  turn.start.environment = TRY(agent::make_environment(
      *turn.driver, environment, [this](const char* name) { return world_.processes.variable(name); }, ""));
  return turn;
}

void AgentReviewers::answered(const std::string& directory, const Result<Json>& answer, const Done& done) {
  turns_.erase(directory);
  (void)world_.files.remove_tree(directory);
  if (!answer) return done(fail(answer.error().within("the reviewer")));
  done(verify::read_review(*answer));
}

}  // namespace teamster::cli
