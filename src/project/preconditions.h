// Preconditions: what a workflow wants to be so before a new run, checked in its order; the first
// that is not met ends it, told in the workflow's words, with nothing touched. Owned by whoever
// starts the run; calls back once, from the loop. Destroying it ends what runs, without a call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/loop.h"
#include "env/world.h"
#include "project/git_program.h"
#include "project/installed_skills.h"
#include "project/program.h"
#include "project/project.h"
#include "project/project_values.h"
#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

struct PreconditionOptions {
  std::string project;                 // its directory
  const workflow::Workflow& workflow;  // outlives the check
  Given given;
  Values values;
  std::string active = {};  // a run of this workflow that is driven now; empty: none
  OpenGit open_git = open_git_program;
  workflow::Bundle bundle = {};  // the workflow's files, which may hold skills
};

class Preconditions {
 public:
  // The skills that are needed, when all is as it should be.
  using Done = std::function<void(Result<std::vector<Skill>>)>;

  Preconditions(const env::World& world, PreconditionOptions options);
  Preconditions(const Preconditions&) = delete;
  Preconditions& operator=(const Preconditions&) = delete;

  // Called once.
  void check(Done done);

 private:
  using Precondition = workflow::Precondition;

  void check_next();
  void go_on(Result<void> checked);
  bool is_asked(const Precondition& condition) const;
  Json value_of(const std::string& source) const;
  Result<void> check_item();
  Result<void> check_file(const Precondition& condition);
  Result<void> check_done(const Precondition& condition);
  Result<void> check_skills(const Precondition& condition);
  SkillPlace skill_place() const;
  void check_clean(const Precondition& condition);
  void check_head(const Precondition& condition);
  void check_command(const Precondition& condition);

  Result<std::vector<std::string>> names_of_skills(const Precondition& condition);
  Result<std::string> text_with_table(const Precondition& condition);
  Result<std::string> item() const;
  // In the workflow's words; {{missing}} in them is what is not there.
  tl::unexpected<Error> unmet(const Precondition& condition, const std::string& missing) const;

  env::World world_;
  PreconditionOptions options_;
  Project project_;
  SourceLookup sources_;
  Done done_;
  std::size_t at_ = 0;
  std::vector<Skill> skills_;
  std::unique_ptr<Git> git_;
  std::unique_ptr<Program> program_;
  env::Timer start_;
};

}  // namespace teamster::engine
