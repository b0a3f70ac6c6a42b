// GitProgram::commit: one commit of the given paths. Each function is one git command and what
// follows from it.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "env/temporary_name.h"
#include "project/git_error.h"
#include "project/git_program.h"
#include "project/project_path.h"

namespace teamster::engine {
namespace {

// For commits of the engine where the user has told git no name.
const std::vector<std::string>& own_identity() {
  static const std::vector<std::string> kIdentity = {"-c", "user.name=teamster", "-c", "user.email=teamster@localhost"};
  return kIdentity;
}

Result<void> check_request(const CommitRequest& request) {
  if (trimmed(request.message).empty())
    return fail(Code::invalid, "the message of the commit is empty", "Give the phase a `message`");
  for (const auto& path : request.paths) TRY_VOID(check_project_path("the path to commit", path));
  return {};
}

}  // namespace

struct GitProgram::Committing {
  CommitRequest request;
  Done<std::string> done;
  std::vector<std::string> identity;   // options for git
  std::vector<std::string> pathspecs;  // those of the request under which something has changed

  // Without what a killed process has left of a file that it was writing, nor what a living one has just begun.
  std::vector<std::string> command(std::vector<std::string> words) const {
    words.emplace_back("--");
    words.insert(words.end(), pathspecs.begin(), pathspecs.end());
    words.push_back(":(top,exclude,glob)**/" + env::temporary_name_glob());
    return words;
  }
};

void GitProgram::commit(CommitRequest request, Done<std::string> done) {
  const auto work = std::make_shared<Committing>(Committing{std::move(request), std::move(done), {}, {}});
  if (const auto good = check_request(work->request); !good)
    return settle([work, error = good.error()] { work->done(fail(error)); });
  changed_files({}, [this, work](Result<std::vector<std::string>> changed) {
    if (!changed) return work->done(fail(changed.error()));
    choose_paths(work, *changed);
  });
}

// A path that is gone, ignored or the same as before would make `git add` fail.
void GitProgram::choose_paths(const Work& work, const std::vector<std::string>& changed) {
  for (const auto& path : work->request.paths) {
    const bool has_changed = std::any_of(changed.begin(), changed.end(),
                                         [&](const std::string& file) { return is_at_or_below(file, path); });
    // As it is, whatever stars it has. An environment variable would say so too, but to the hooks as well.
    if (has_changed) work->pathspecs.push_back(":(literal)" + path);
  }
  if (work->pathspecs.empty()) return finish_with_head(work);
  choose_identity([this, work](Result<std::vector<std::string>> identity) {
    if (!identity) return work->done(fail(identity.error()));
    work->identity = *std::move(identity);
    stage(work);
  });
}

void GitProgram::choose_identity(const Done<std::vector<std::string>>& done) {
  look({"-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"}, [done](const Ran& ran) {
    if (!ran) return done(fail(ran.error()));
    done(ran->succeeded() ? std::vector<std::string>() : own_identity());
  });
}

// `git commit -- PATHS` knows only files that the index knows.
void GitProgram::stage(const Work& work) {
  look(work->command({"add", "--all"}), [this, work](Ran ran) {
    if (!ran) return work->done(fail(ran.error()));
    if (!ran->succeeded()) return work->done(fail(git_error("add", project_, *ran)));
    commit_if_staged(work);
  });
}

// What was changed and changed back is in `git status` until now.
void GitProgram::commit_if_staged(const Work& work) {
  look(work->command({"diff", "--cached", "--quiet"}), [this, work](Ran ran) {
    if (!ran) return work->done(fail(ran.error()));
    if (ran->succeeded()) return finish_with_head(work);
    if (ran->how != ProgramOutcome::How::exited || ran->code != 1)
      return work->done(fail(git_error("diff", project_, *ran)));
    make_commit(work);
  });
}

void GitProgram::make_commit(const Work& work) {
  std::vector<std::string> words = work->identity;
  const std::string trailer = fmt::format("{}: {}", kStepTrailer, work->request.step);
  words.insert(words.end(), {"commit", "--quiet", "--only", "--cleanup=whitespace", "-m", work->request.message,
                             "--trailer", trailer});
  run(work->command(std::move(words)), work->request.limit, [this, work](Ran ran) {
    if (!ran) return work->done(fail(ran.error()));
    if (!ran->succeeded()) return work->done(fail(git_error("commit", project_, *ran)));
    finish_with_head(work);
  });
}

void GitProgram::finish_with_head(const Work& work) {
  head([this, work](Result<std::optional<std::string>> found) {
    if (!found) return work->done(fail(found.error()));
    if (*found) return work->done(**found);
    work->done(fail(Code::failed, fmt::format("there is nothing to commit in {}, and no commit yet", project_),
                    "Commit something first"));
  });
}

}  // namespace teamster::engine
