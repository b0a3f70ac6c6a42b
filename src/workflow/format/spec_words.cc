#include "workflow/format/spec_words.h"

namespace teamster::workflow {

const std::vector<std::string>& phase_kinds() {
  static const std::vector<std::string> kWords = {"agent", "fanout", "ask",      "gate",
                                                  "check", "notify", "workflow", "commit"};
  return kWords;
}

const std::string& word_of(Phase::Kind kind) { return phase_kinds().at(static_cast<std::size_t>(kind)); }

std::string then_text(const Loop& loop) {
  switch (loop.then) {
    case Loop::Then::block:
      return "block";
    case Loop::Then::accept:
      return "accept";
    case Loop::Then::escalate:
      return "escalate";
    case Loop::Then::fail:
      return "fail";
    case Loop::Then::go:
      return "goto " + loop.target;
  }
  return {};
}

}  // namespace teamster::workflow
