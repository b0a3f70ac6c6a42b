// RunView: a run as a user sees it: what the hub knows of it, its journal folded, and the status that
// follows from both. Read anew by each command; nothing of it is stored. The one place that
// decides what a status is called and which exit code it becomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"
#include "engine/run_reading.h"

namespace teamster::cli {

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

struct RunView {
  Json row;  // of run.get or run.list
  engine::RunReading reading;

  std::string run() const;
  bool has_ended() const;
  bool is_held() const;  // by a process that lives
  // running, waiting (for a person), interrupted (nobody drives it), ending; done, blocked, failed, cancelled.
  std::string status() const;
  std::vector<RunQuestion> questions() const;
  // What its user can do now.
  std::string next() const;
  int exit_code() const;
};

// The whole journal. Code::not_found says what was probably meant.
Result<RunView> view_run(const Context& context, const std::string& run);
// Of a row of run.list: from the run's snapshot on, where there is one that can be used.
Result<RunView> view_row(const Context& context, const Json& row);
// Rows of the runs that have not ended, or of all, oldest first.
Result<std::vector<Json>> run_rows(const Context& context, bool all);
// RUN as it was given, or the only live one; Code::invalid when there are several.
Result<std::string> named_or_only_run(const Context& context, const std::string& given);

engine::ReadPage pages_of_run(const Context& context, const std::string& run);

// Stable keys, for --json.
Json view_json(const RunView& view);
Json view_json_in_full(const RunView& view);
Json question_json(const RunQuestion& question);

}  // namespace teamster::cli
