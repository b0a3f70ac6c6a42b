// RunLog: the journal of a run in words, one line for each record: number, time, step, who, what happened, how long it
// took and what follows; and one for each day. Fed with the records in their order; of steps that began before the
// first one it does not know how long they took. Safe to print whatever agents and people wrote. A value.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/json.h"
#include "base/time.h"
#include "cli/text/palette.h"
#include "workflow/core/run_record.h"
#include "workflow/core/told.h"

namespace teamster::cli {

class RunLog {
 public:
  explicit RunLog(const Palette& palette) : palette_(palette) {}

  // Of an event as the hub hands it out: {n, at, kind, body}. No line break at the end.
  std::string line(const Json& event);
  // The same for one that is not shown.
  void pass_over(const Json& event);
  // Where the rest of a line goes that is too wide: below the step.
  static constexpr std::size_t kHang = 17;

 private:
  struct Begun {
    WallTime at;
    std::string who;
  };
  struct Said {
    std::string step = "run";
    std::string who = {};
    std::string what = {};
  };

  static Said of_others(const workflow::ToldBody& body);
  Said of_engine(const workflow::RunRecord& record, WallTime at);
  std::string followed_by(const workflow::RunRecord& record) const;

  Palette palette_;
  std::string day_;
  std::map<std::string, Begun> begun_;  // by step and attempt
};

}  // namespace teamster::cli
