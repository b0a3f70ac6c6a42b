// Where workflows are: in the project (.teamster/workflows/NAME), with the user
// (~/.config/teamster/workflows/NAME), in the program, or at a path. The first that has the name
// is taken. Reads the files; whether they are a good workflow is for workflow::load_workflow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"

namespace teamster::cli {

struct FoundWorkflow {
  std::string name;
  std::string from;  // project, user, built-in, path
  std::string path;  // its directory, to be put before the names of its files; of a built-in one its name
  workflow::Bundle bundle;
};

class WorkflowPlaces {
 public:
  using Variable = std::function<std::optional<std::string>(const char* name)>;
  // Borrows the files. Without a project: that of the process's own directory.
  WorkflowPlaces(env::Files& files, const Variable& variable, std::string project = {});

  // By name, or by the path of a directory or its workflow.yaml: what has a '/' or is '.' is a path.
  // Code::not_found says which there are.
  Result<FoundWorkflow> find(const std::string& name_or_path) const;
  // Each name once, sorted.
  Result<std::vector<FoundWorkflow>> all() const;

 private:
  struct Place {
    std::string from;
    std::string directory;
  };
  Result<workflow::Bundle> read_directory(const std::string& directory) const;
  Result<void> read_below(const std::string& directory, const std::string& prefix, int depth,
                          workflow::Bundle& bundle) const;
  Result<FoundWorkflow> find_alone(const std::string& name_or_path) const;
  Result<void> add_skills(FoundWorkflow& found) const;
  Result<FoundWorkflow> at_path(const std::string& path) const;

  std::string in_project(const std::string& path) const;

  env::Files& files_;
  std::string project_;
  std::vector<Place> places_;
};

// Checked; the error has the problems, one a line.
Result<workflow::Workflow> load_checked(const FoundWorkflow& found);
// Of a run, from the files it was started with: what was checked then is taken as it is.
Result<workflow::Workflow> load_of_run(const std::string& run, const workflow::Bundle& bundle, std::int64_t format);

// The workflows that its phases run, and theirs, each once; without those that are not there, or have mistakes.
enum class SubWorkflows { all, sure_to_come };
std::vector<workflow::Workflow> sub_workflows(const WorkflowPlaces& places, const workflow::Workflow& workflow,
                                              SubWorkflows which);

}  // namespace teamster::cli
