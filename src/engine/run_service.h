// RunService: what the world outside does with runs: start one, take one up, cancel it, list them, look at one, read
// what they ask and reply. The command line talks to it and to nothing below it; pages will, too. Reading waits for the
// hub; driving happens on the loop. Owned by whoever uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/live_run.h"
#include "engine/run_adjustment.h"
#include "engine/run_preparation.h"
#include "engine/run_questions.h"
#include "engine/run_reading.h"
#include "engine/run_telling.h"
#include "engine/run_view.h"
#include "engine/snapshot.h"
#include "env/files.h"
#include "protocol/client/call.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {

// A request to the hub whose answer is waited for.
using HubCall = std::function<Result<Json>(hub::Request)>;

// What a person says to a question.
struct PersonsReply {
  workflow::told::Reply said;  // with who says it, and without its question
  bool is_operator = false;    // who may speak for whoever is asked
};
struct ReplyOutcome {
  std::int64_t told = 0;     // the number of the record that holds it
  bool is_recorded = false;  // the engine has heard it
};

class RunService {
 public:
  RunService(HubCall call, std::function<WallTime()> now, env::Files& files, hub::Home home);

  // --- reading

  // Rows of the runs that have not ended, or of all, oldest first.
  Result<std::vector<hub::ListedRun>> list(bool all) const;
  // The run that was named: whole, by any part of its name that fits one alone, or RUN/STEP.ATTEMPT for the one that
  // this step has started; without a name the only one under way.
  Result<std::string> meant(const std::string& given) const;
  // The whole journal. Code::not_found says what was probably meant.
  Result<RunView> view(const std::string& run) const;
  // Of a row of the list: from the run's snapshot on, where there is one that can be used.
  Result<RunView> view_row(const hub::ListedRun& row) const;
  Result<PinnedRun> pinned(const std::string& run) const;
  Result<std::optional<Snapshot>> snapshot(const std::string& run) const;
  ReadPage pages_of(const std::string& run) const;
  // Code::not_found when the directory of its project is gone: nothing is to be told to the run then.
  Result<void> check_project(const std::string& run) const;
  // Whether another run has started it.
  Result<bool> is_sub_run(const std::string& run) const;

  // --- people

  Result<RunQuestions> questions() const;
  // Told to the run, and waited for until its engine has recorded it. Code::refused when somebody else was first, or
  // `by` may not answer it.
  Result<ReplyOutcome> reply(const RunQuestion& question, const PersonsReply& reply, Duration wait) const;
  // What becomes of a step of which nobody knows whether it happened: rerun or skip. Code::not_found when no such step
  // waits for that.
  Result<void> decide(const std::string& run, const std::string& step, const std::string& decision,
                      const std::string& by) const;

  // A run that has ended blocked or failed goes on, or one that stands goes back to an earlier phase: to be taken up
  // then, unless somebody drives it.
  Result<void> reopen(const std::string& run, const std::string& from, const std::string& by) const;

  // From now on, in whichever process drives it.
  Result<void> adjust(const std::string& run, const RunAdjustment& adjustment, const std::string& by) const;

  // --- driving

  // The run as it was pinned, to go on with what is open: call take_up.
  Result<std::unique_ptr<LiveRun>> take_up(const LiveRunParts& parts, const std::string& run,
                                           LiveRun::Over on_over) const;
  // Its status at the end, or "ending" when it has not ended in time. Where nobody drives it, it is ended here.
  Result<std::string> cancel(const LiveRunParts& parts, const std::string& run, const std::string& by,
                             Duration wait) const;

 private:
  template <class Call>
  Result<typename Call::Answer> ask(Call call, std::optional<Duration> wait = std::nullopt) const {
    return hub::read_answer<Call>(call_(hub::request_for(std::move(call), {.wait = wait})));
  }
  // Follows the journal until `is_it` says so; false when the time came, or the run ended, before.
  Result<bool> read_until(const std::string& run, std::int64_t after, Duration wait,
                          const std::function<bool(const hub::RunJournalEvent&)>& is_it) const;
  Result<std::string> sub_run_of(const std::string& parent) const;

  HubCall call_;
  std::function<WallTime()> now_;
  env::Files& files_;
  hub::Home home_;
};

// Runs the loop until the callback was called.
template <class Value>
Result<Value> await(env::Loop& loop, const std::function<void(std::function<void(Result<Value>)>)>& begin) {
  std::optional<Result<Value>> outcome;
  begin([&outcome](Result<Value> value) { outcome = std::move(value); });
  loop.run_until([&outcome] { return outcome.has_value(); });
  if (!outcome) return fail(Code::internal, "nothing is left that could answer", "Run `teamster doctor`");
  return *std::move(outcome);
}

}  // namespace teamster::engine
