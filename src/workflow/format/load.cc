#include "workflow/format/load.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "workflow/format/check_spec.h"
#include "workflow/format/read_spec.h"
#include "yaml/document.h"

namespace teamster::workflow {
namespace {

// Whether it is worth looking inside.
bool check_sizes(const Bundle& bundle, Problems& problems) {
  std::size_t bytes = 0;
  bool is_fine = true;
  const auto refuse = [&](const std::string& file, std::string what) {
    problems.add(file, {}, std::move(what));
    is_fine = false;
  };
  for (const auto& [name, contents] : bundle) {
    bytes += contents.size();
    if (contents.size() > limits::kWorkflowFileMaxBytes)
      refuse(name,
             fmt::format("the file has {} bytes, the limit is {}", contents.size(), limits::kWorkflowFileMaxBytes));
  }
  if (bytes > limits::kWorkflowBundleMaxBytes)
    refuse(kWorkflowFile,
           fmt::format("the files have {} bytes, the limit is {}", bytes, limits::kWorkflowBundleMaxBytes));
  if (bundle.size() > limits::kWorkflowFilesMax)
    refuse(kWorkflowFile, fmt::format("{} files, the limit is {}", bundle.size(), limits::kWorkflowFilesMax));
  if (!bundle.contains(kWorkflowFile))
    refuse(kWorkflowFile, "there is no such file, and it is where a workflow begins");
  return is_fine;
}

Loaded load(const Bundle& bundle, bool is_checked) {
  Problems problems;
  Loaded loaded;
  if (check_sizes(bundle, problems)) {
    if (const auto document = parse_document(kWorkflowFile, bundle.at(kWorkflowFile), problems)) {
      Workflow workflow = read_spec(*document, problems);
      if (is_checked && !workflow.phases.empty()) check_spec(workflow, *document, bundle, problems);
      if (problems.empty()) loaded.workflow = std::move(workflow);
    }
  }
  loaded.problems = problems.sorted();
  loaded.problems_left_out = problems.left_out();
  return loaded;
}

}  // namespace

Loaded load_workflow(const Bundle& bundle) { return load(bundle, true); }

Loaded load_pinned(const Bundle& bundle) { return load(bundle, false); }

}  // namespace teamster::workflow
