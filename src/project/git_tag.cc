// GitProgram::tag: one tag of a step. It is a plain one on a commit that a run has made; where a run had nothing to
// commit, as in a project that ignores the ledger, it carries the step's trailer itself, so that a later run
// knows it as its own.
#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "project/git_error.h"
#include "project/git_program.h"

namespace teamster::engine {

struct GitProgram::Tagging {
  TagRequest request;
  Done<std::string> done;
  int tries_left = limits::kGitTagTriesMax;
};

void GitProgram::tag(TagRequest request, Done<std::string> done) {
  try_tag(std::make_shared<Tagging>(Tagging{std::move(request), std::move(done)}));
}

void GitProgram::try_tag(const Mark& mark) {
  --mark->tries_left;
  tags([this, mark](Result<std::vector<GitTag>> found) {
    if (!found) return mark->done(fail(found.error()));
    const TagRequest& request = mark->request;
    const auto place = place_of_tag(request.pattern, request.commit, request.step, *found);
    if (!place) return mark->done(fail(place.error()));
    if (place->how == TagPlace::How::there) return mark->done(place->name);
    make_tag(mark, *place);
  });
}

void GitProgram::make_tag(const Mark& mark, const TagPlace& place) {
  look({"log", "-1", "--no-show-signature", fmt::format("--format={}", kTrailerFormat), mark->request.commit, "--"},
       [this, mark, place](Ran ran) {
         if (!ran) return mark->done(fail(ran.error()));
         if (!ran->succeeded()) return mark->done(fail(git_error("log", project_, *ran)));
         const auto steps = parse_trailers(ran->answer);
         const bool is_ours = std::any_of(steps.begin(), steps.end(), [&](const std::string& other) {
           return are_of_one_workflow(other, mark->request.step);
         });
         is_ours ? put_tag(mark, place, {"tag", "--no-sign"}) : annotate(mark, place);
       });
}

void GitProgram::annotate(const Mark& mark, const TagPlace& place) {
  choose_identity([this, mark, place](Result<std::vector<std::string>> identity) {
    if (!identity) return mark->done(fail(identity.error()));
    std::vector<std::string> words = *std::move(identity);
    words.insert(words.end(), {"tag", "--no-sign", "--annotate", "-m",
                               fmt::format("{}\n\n{}: {}", place.name, kStepTrailer, mark->request.step)});
    put_tag(mark, place, std::move(words));
  });
}

void GitProgram::put_tag(const Mark& mark, const TagPlace& place, std::vector<std::string> words) {
  if (place.how == TagPlace::How::moved) words.emplace_back("--force");
  words.insert(words.end(), {"--", place.name, mark->request.commit});
  look(std::move(words), [this, mark, place](Ran ran) {
    if (!ran) return mark->done(fail(ran.error()));
    if (ran->succeeded()) return mark->done(place.name);
    // Somebody may have taken the name since we looked.
    const bool was_taken = ran->output.find("already exists") != std::string::npos;
    if (was_taken && mark->tries_left > 0) return try_tag(mark);
    mark->done(fail(git_error("tag", project_, *ran)));
  });
}

}  // namespace teamster::engine
