#include "project/git_program.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/driver.h"
#include "base/check.h"
#include "base/text.h"
#include "project/git_error.h"
#include "project/project_path.h"

namespace teamster::engine {
namespace {

using Outcome = ProgramOutcome;

// They point git at another repository: set when we are called from one of its hooks.
constexpr std::array kLocalVariables = {"GIT_DIR=",
                                        "GIT_WORK_TREE=",
                                        "GIT_INDEX_FILE=",
                                        "GIT_PREFIX=",
                                        "GIT_OBJECT_DIRECTORY=",
                                        "GIT_COMMON_DIR=",
                                        "GIT_NAMESPACE=",
                                        "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
                                        "LANGUAGE=",
                                        "GIT_TERMINAL_PROMPT=",
                                        "GIT_EDITOR="};

std::vector<std::string> git_environment(const env::World& world) {
  auto variables = world.processes.environment();
  std::erase_if(variables, [](const std::string& variable) {
    return std::any_of(kLocalVariables.begin(), kLocalVariables.end(),
                       [&](const char* name) { return variable.starts_with(name); });
  });
  // Nobody sits there to answer or edit; and we look for one English message.
  variables.insert(variables.end(), {"LANGUAGE=en", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:"});
  return variables;
}

bool is_hash(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<std::string> commit_with_trailer(std::string_view log, std::string_view step) {
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    // "HASH VALUE,VALUE": of a commit that has the words somewhere in its message.
    const std::size_t space = std::min(line.find(' '), line.size());
    const auto steps = parse_trailers(line.substr(std::min(space + 1, line.size())));
    if (std::find(steps.begin(), steps.end(), step) != steps.end()) return std::string(line.substr(0, space));
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<Git> open_git_program(const env::World& world, const std::string& project) {
  return std::make_unique<GitProgram>(world, project);
}

GitProgram::GitProgram(const env::World& world, std::string project) : world_(world), project_(std::move(project)) {}

// From the loop, as all answers: the caller never has to expect one inside its own call.
void GitProgram::settle(std::function<void()> callback) {
  settling_ = world_.loop.after(Duration::zero(), std::move(callback));
}

void GitProgram::run(std::vector<std::string> arguments, Duration limit, std::function<void(Ran)> then) {
  ProgramOptions options;
  options.arguments = std::move(arguments);
  options.arguments.insert(options.arguments.begin(), agent::find_on_path(world_, "git"));
  if (options.arguments.front().empty()) {
    return settle([then] {
      then(fail(Code::not_found, "git is not installed: there is no `git` on PATH", "Install git and try again"));
    });
  }
  options.directory = project_;
  options.environment = git_environment(world_);
  if (!own_index_.empty())
    options.environment.insert(options.environment.end(), {"GIT_INDEX_FILE=" + own_index_, "GIT_LITERAL_PATHSPECS=1"});
  options.limit = limit;
  options.output_kept_bytes = limits::kGitOutputMaxBytes;
  auto started = Program::start(world_, options, [then](const Outcome& outcome) { then(outcome); });
  if (!started) return settle([then, error = started.error()] { then(fail(error)); });
  program_ = *std::move(started);
}

void GitProgram::look(std::vector<std::string> arguments, std::function<void(Ran)> then) {
  run(std::move(arguments), limits::kGitLookMax, std::move(then));
}

void GitProgram::is_repository(Done<bool> done) {
  look({"rev-parse", "--is-inside-work-tree"}, [this, done](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (ran->succeeded()) return done(trimmed(ran->answer) == "true");
    if (ran->output.find("not a git repository") != std::string::npos) return done(false);
    done(fail(git_error("rev-parse", project_, *ran)));
  });
}

void GitProgram::head(Done<std::optional<std::string>> done) {
  look({"rev-parse", "--verify", "--quiet", "HEAD"}, [this, done](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (ran->succeeded()) return done(std::optional(std::string(trimmed(ran->answer))));
    if (ran->how == Outcome::How::exited && ran->code == 1) return done(std::optional<std::string>());
    done(fail(git_error("rev-parse", project_, *ran)));
  });
}

void GitProgram::detached_at(Done<std::optional<std::string>> done) {
  look({"symbolic-ref", "--quiet", "HEAD"}, [this, done](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (ran->succeeded()) return done(std::optional<std::string>());
    if (ran->how != Outcome::How::exited || ran->code != 1)
      return done(fail(git_error("symbolic-ref", project_, *ran)));
    look({"rev-parse", "--short", "HEAD"}, [this, done](Ran commit) {
      if (!commit) return done(fail(commit.error()));
      if (!commit->succeeded()) return done(fail(git_error("rev-parse", project_, *commit)));
      done(std::optional(std::string(trimmed(commit->answer))));
    });
  });
}

void GitProgram::changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done) {
  look({"rev-parse", "--show-prefix"}, [this, except = std::move(except), done](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (!ran->succeeded()) return done(fail(git_error("rev-parse", project_, *ran)));
    std::string prefix = ran->answer;  // a directory's name may end in spaces
    if (prefix.ends_with('\n')) prefix.pop_back();
    list_changes(prefix, [except, done](Result<std::vector<std::string>> changed) {
      if (!changed) return done(fail(changed.error()));
      std::erase_if(*changed, [&](const std::string& path) {
        return std::any_of(except.begin(), except.end(),
                           [&](const std::string& place) { return is_at_or_below(path, place); });
      });
      done(*std::move(changed));
    });
  });
}

void GitProgram::list_changes(const std::string& prefix, const Done<std::vector<std::string>>& done) {
  // Without optional locks it does not write to the index, and does not disturb who does.
  look({"--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"},
       [this, prefix, done](Ran ran) {
         if (!ran) return done(fail(ran.error()));
         if (!ran->succeeded()) return done(fail(git_error("status", project_, *ran)));
         if (ran->is_cut)
           return done(fail(Code::refused, fmt::format("{} has too many files that are not committed", project_),
                            "Commit them, or name them in .gitignore"));
         auto paths = parse_status(ran->answer);
         if (!paths) return done(fail(paths.error()));
         for (auto& path : *paths) path = path.starts_with(prefix) ? path.substr(prefix.size()) : ":/" + path;
         done(*std::move(paths));
       });
}

void GitProgram::find_commit(std::string step, std::string since, Done<std::optional<std::string>> done) {
  head([this, step = std::move(step), since = std::move(since), done](Result<std::optional<std::string>> found) {
    if (!found) return done(fail(found.error()));
    if (!*found) return done(std::optional<std::string>());
    if (!since.empty() && !is_hash(since))
      return done(fail(Code::invalid, fmt::format("{} is not the hash of a commit", quoted(since, 80))));
    look({"log", "--no-show-signature", "--fixed-strings", fmt::format("--grep={}: {}", kStepTrailer, step),
          fmt::format("--format=%H {}", kTrailerFormat), since.empty() ? "HEAD" : since + "..HEAD", "--"},
         [this, step, done](Ran ran) {
           if (!ran) return done(fail(ran.error()));
           if (!ran->succeeded()) return done(fail(git_error("log", project_, *ran)));
           done(commit_with_trailer(ran->answer, step));
         });
  });
}

void GitProgram::tags(Done<std::vector<GitTag>> done) {
  look({"for-each-ref", fmt::format("--format={}", kTagFormat), "refs/tags"}, [this, done](Ran ran) {
    if (!ran) return done(fail(ran.error()));
    if (!ran->succeeded()) return done(fail(git_error("for-each-ref", project_, *ran)));
    done(parse_tags(ran->answer));
  });
}

}  // namespace teamster::engine
