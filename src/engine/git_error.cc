#include "engine/git_error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kSaidMaxBytes = 4 * 1024;

std::string next_step(std::string_view command, const ProgramOutcome& outcome) {
  const auto says = [&](std::string_view words) { return outcome.output.find(words) != std::string::npos; };
  if (says("not a git repository")) return "Run `git init` there and commit what there is, or go to your project";
  if (says("dubious ownership")) return "Do what git says there, if you trust the directory";
  if (says("index.lock")) return "If no other git is at work there, remove the lock that it names";
  if (command == "commit")
    return "If one of the project's hooks did it, mend what it complains about; `git commit` shows the same";
  return "";
}

}  // namespace

Error git_error(std::string_view command, std::string_view project, const ProgramOutcome& outcome) {
  std::string_view said = trimmed(outcome.output);
  const bool is_cut = said.size() > kSaidMaxBytes;
  if (is_cut) said.remove_prefix(said.size() - kSaidMaxBytes);
  std::string what = fmt::format("`git {}` in {} {}", command, project, describe(outcome));
  if (!said.empty()) what += fmt::format("; it said: {}{}", is_cut ? "…" : "", said);
  return Error{Code::failed, std::move(what), next_step(command, outcome)};
}

}  // namespace teamster::engine
