// LiveLine: what goes on in a run right now, on one line: whose turn it is, for how long, what the agent does, what was
// used so far. Fed with the states of the run and the runs below it and with the doings of their agents; text() makes
// the line. Knows no clock and no terminal. Owned by whoever shows it. Safe to print whatever agents wrote.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/session.h"
#include "base/time.h"
#include "workflow/core/run_state.h"

namespace teamster::cli {

class LiveLine {
 public:
  // Of the first run, and of those that it starts.
  void state_is(const std::string& run, const workflow::RunState& state, Instant now);
  void agent_does(const std::string& run, const std::string& member, const agent::Activity& activity, Instant now);

  // Whether something is at work, and not only people are waited for.
  bool is_at_work() const;
  // At most so many columns; empty: nothing goes on.
  std::string text(std::size_t columns, Instant now) const;

 private:
  struct Effect {
    std::string id;
    std::string kind;
    std::string who;    // a member, or whom a question is for
    std::string doing;  // printable
    Instant since;
    Instant changed;                                  // when it was last heard of
    std::map<std::string, std::int64_t> tokens = {};  // of a turn, by the model's messages
  };
  struct Run {
    std::map<std::string, Effect> open;
    workflow::RunUsage usage;
  };

  const Effect* foremost() const;
  std::size_t count_at_work() const;
  std::string used_text() const;

  std::string first_;  // the run that the others are below of
  std::map<std::string, Run> runs_;
};

// 0:07, 12:03, 1:02:03
std::string elapsed_text(Duration span);

}  // namespace teamster::cli
