// RunView: a run as a user sees it: what the hub knows of it, its journal folded, and the status that
// follows from both. Read anew each time; nothing of it is stored. The one place that decides what a
// status is called. A value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/run_reading.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {

struct RunQuestion {
  std::string run;
  std::string step;
  std::int64_t attempt = 0;
  workflow::command::Ask asks;    // who is asked what
  std::optional<WallTime> asked;  // not known behind a snapshot
  bool run_is_held = false;       // a process drives the run, and hears the answer
  std::string told_by;            // whose answer waits to be heard; empty: nobody's
  Json people = {};               // around the run, see workflow/core/people.h

  // STEP.ATTEMPT, which names it in its run.
  std::string id_in_run() const { return workflow::effect_id(step, attempt); }
  // RUN/STEP.ATTEMPT
  std::string id() const { return run + "/" + id_in_run(); }
  bool is_gate() const { return asks.gate; }
};

// A provider that a step waits for.
struct Weather {
  std::string id;                      // of the wait: STEP.ATTEMPT
  std::string why;                     // as the last try told it
  std::int64_t tries = 0;              // that failed so, one after the other
  std::optional<WallTime> since = {};  // the first of them; not known behind a snapshot
  std::optional<WallTime> next = {};   // when it is tried again
};

struct RunView {
  hub::ListedRun listed;
  Json setup;  // what it was started with, see run_setup.h; of a row of the list null
  RunReading reading;

  const std::string& run() const { return listed.run; }
  bool has_ended() const;
  bool is_held() const;  // by a process that lives
  // running, waiting (for a person), interrupted (nobody drives it), ending; done, blocked, failed, cancelled.
  std::string status() const;
  std::vector<RunQuestion> questions() const;
  std::vector<Weather> weather() const;
  // What the lead, which is code, is at now: OBSERVE (members work), COORDINATE (teams and tasks are made or ended,
  // members are told something), ENFORCE (a check or a gate decides), SYNTHESIZE (a coordinator or an advisor brings
  // things together).
  std::string lead_mode() const;
  // What its user can do now.
  std::string next() const;
  // Whether it stands still until a person says something.
  bool needs_a_person() const;
};

}  // namespace teamster::engine
