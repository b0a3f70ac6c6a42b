// AgentReviewers: reviewers of the command line: each criterion gets an agent of its own, outside of any team, that is
// told its profile and the criterion and goes when it has answered. Owned by the command; driven by its loop.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/driver_choice.h"
#include "agent/lone_turn.h"
#include "agent/permission.h"
#include "base/result.h"
#include "base/time.h"
#include "env/later.h"
#include "env/world.h"
#include "verify/reviewers.h"

namespace teamster::cli {

struct AgentReviewersOptions {
  agent::DriverChoice driver;
  std::string script;  // of the script driver
  std::string root;    // of the repository, where they work
  std::string home;    // TEAMSTER_HOME
  std::vector<std::string> allow;
  Duration limit;
};

class AgentReviewers : public verify::Reviewers {
 public:
  // An error when no agent could ever be started this way.
  static Result<std::unique_ptr<AgentReviewers>> make(const env::World& world, AgentReviewersOptions options);
  AgentReviewers(const env::World& world, AgentReviewersOptions options, agent::PermissionPolicy permissions);
  ~AgentReviewers() override;

  void review(const verify::Criterion& criterion, Done done) override;

 private:
  Result<agent::LoneTurnOptions> turn_options(const verify::Criterion& criterion, const std::string& directory);
  void answered(const std::string& directory, const Result<Json>& answer, const Done& done);

  env::World world_;
  const AgentReviewersOptions options_;
  const agent::PermissionPolicy permissions_;
  std::map<std::string, std::unique_ptr<agent::LoneTurn>> turns_;  // by their private directories
  env::Later later_;
};

}  // namespace teamster::cli
