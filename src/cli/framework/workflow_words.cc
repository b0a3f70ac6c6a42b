#include "cli/framework/workflow_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/format/usage.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kShownMaxBytes = 80;

tl::unexpected<Error> misused_flag(const workflow::Workflow& workflow, std::string what) {
  return fail(Code::invalid, std::move(what), "Usage: " + workflow::usage_line(workflow));
}

tl::unexpected<Error> unknown_flag(const workflow::Workflow& workflow, const Command& command,
                                   const std::string& typed) {
  std::vector<std::string> known = {"--help"};
  for (const auto& flag : workflow.flags) known.push_back("--" + flag.name());
  for (const auto& flag : all_flags(command))
    if (!flag.hidden) known.push_back("--" + flag.name);
  const auto meant = closest(typed, known);
  return misused_flag(
      workflow, fmt::format("neither the workflow {} nor `teamster {}` has a flag {}{}", workflow.name, command.path,
                            quoted(typed, kShownMaxBytes), meant ? fmt::format(", did you mean {}?", *meant) : ""));
}

// One flag and, where it has one, its value; `at` is moved onto the last word of it.
Result<void> take_flag(const workflow::Workflow& workflow, const Command& command,
                       const std::vector<std::string>& typed, std::size_t& at, WorkflowWords& into) {
  const std::string& word = typed[at];
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equals);
  const auto flag = std::find_if(workflow.flags.begin(), workflow.flags.end(),
                                 [&](const workflow::Flag& each) { return "--" + each.name() == name; });
  if (flag == workflow.flags.end()) return unknown_flag(workflow, command, name);
  if (into.flags.contains(flag->name())) return misused_flag(workflow, fmt::format("{} is given twice", name));
  if (flag->is_switch()) {
    if (equals != word.size()) return misused_flag(workflow, fmt::format("{} takes no value", name));
    into.flags[flag->name()] = "";
    return {};
  }
  if (equals == word.size() && (at + 1 == typed.size() || typed[at + 1].starts_with("--")))
    return misused_flag(workflow, fmt::format("{} needs a value, {}", name, flag->shown));
  into.flags[flag->name()] = equals == word.size() ? typed[++at] : word.substr(equals + 1);
  return {};
}

}  // namespace

Result<WorkflowWords> WorkflowWords::read(const workflow::Workflow& workflow, const Command& command,
                                          const std::vector<std::string>& typed) {
  WorkflowWords read;
  for (std::size_t at = 0; at < typed.size(); ++at) {
    if (typed[at] == "--") {
      read.words.insert(read.words.end(), typed.begin() + static_cast<std::ptrdiff_t>(at) + 1, typed.end());
      break;
    }
    const bool is_flag = typed[at].size() > 1 && typed[at][0] == '-';
    if (is_flag)
      TRY_VOID(take_flag(workflow, command, typed, at, read));
    else
      read.words.push_back(typed[at]);
  }
  return read;
}

}  // namespace teamster::cli
