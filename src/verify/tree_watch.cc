#include "verify/tree_watch.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "verify/verify_limits.h"

namespace teamster::verify {

void TreeWatch::look(Done done) {
  CHECK(!is_looking_);
  is_looking_ = true;
  auto program = BoundedProgram::start(world_,
                                       {.arguments = status_arguments(place_.git),
                                        .environment = place_.environment,
                                        .directory = place_.root,
                                        .limit = kTreeLookMax,
                                        .bounds = {.head_bytes = kTreeStatusMaxBytes, .tail_bytes = 0},
                                        .keeps_errors = false},
                                       [this, done](const ProgramEnd& end) { finish(done, state_of(end)); });
  if (program)
    program_ = *std::move(program);
  else
    finish(std::move(done), fail(program.error()));
}

Result<TreeState> TreeWatch::state_of(const ProgramEnd& end) {
  if (!end.succeeded()) return fail(Code::failed, fmt::format("`git status` did not work in {}", place_.root));
  if (end.output.is_cut())
    return fail(Code::failed, "the tree has too many files that are not committed to be watched");
  return read_tree_state(end.output.head(), world_.files, place_.root, place_.ours);
}

void TreeWatch::finish(Done done, Result<TreeState> state) {
  later_.call([this, done = std::move(done), state = std::move(state)] {
    program_.reset();
    is_looking_ = false;
    done(state);
  });
}

}  // namespace teamster::verify
