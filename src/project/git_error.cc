#include "project/git_error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kSaidMaxBytes = 4 * 1024;
constexpr std::string_view kCannotCreate = "Unable to create '";
constexpr std::string_view kExists = ".lock': File exists";

std::string next_step(std::string_view command, const ProgramOutcome& outcome) {
  const auto says = [&](std::string_view words) { return outcome.output.find(words) != std::string::npos; };
  if (says("not a git repository")) return "Run `git init` there and commit what there is, or go to your project";
  if (says("dubious ownership")) return "Do what git says there, if you trust the directory";
  if (says(kExists)) return "If no other git is at work there, remove the lock that it names";
  if (command == "commit")
    return "If one of the project's hooks did it, mend what it complains about; `git commit` shows the same";
  return "";
}

}  // namespace

std::optional<std::string> lock_named_in(std::string_view said) {
  const std::size_t exists = said.find(kExists);
  if (exists == said.npos) return std::nullopt;
  const std::size_t create = said.rfind(kCannotCreate, exists);
  if (create == said.npos) return std::nullopt;
  const std::size_t begin = create + kCannotCreate.size();
  const std::string lock = std::string(said.substr(begin, exists - begin)) + ".lock";
  const bool is_in_repository = lock.starts_with('/') && lock.find("/.git/") != std::string::npos;
  return is_in_repository && lock.find("/../") == std::string::npos ? std::optional(lock) : std::nullopt;
}

std::string repository_of_lock(const std::string& lock) { return lock.substr(0, lock.find("/.git/")); }

Error git_error(std::string_view command, std::string_view project, const ProgramOutcome& outcome) {
  std::string_view said = trimmed(outcome.output);
  const bool is_cut = said.size() > kSaidMaxBytes;
  if (is_cut) said.remove_prefix(said.size() - kSaidMaxBytes);
  std::string what = fmt::format("`git {}` in {} {}", command, project, describe(outcome));
  if (!said.empty()) what += fmt::format("; it said: {}{}", is_cut ? "…" : "", said);
  return Error{Code::failed, std::move(what), next_step(command, outcome)};
}

}  // namespace teamster::engine
