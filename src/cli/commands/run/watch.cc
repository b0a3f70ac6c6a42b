#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/event_text.h"
#include "cli/text/run_lines.h"
#include "cli/text/run_text.h"
#include "protocol/client/hub_calls.h"
#include "protocol/client/run_calls.h"

namespace teamster::cli::commands {
namespace {

// After so long without a record: does anybody drive it still?
constexpr Duration kParked = std::chrono::seconds(10);

class Watching {
 public:
  Watching(Context& context, std::string run, std::int64_t after)
      : context_(context), run_(std::move(run)), shown_after_(after) {
    reading_.on_record = [this](const workflow::RunState&, const engine::Recorded& recorded) { show(recorded); };
  }

  Result<int> to_the_end() {
    while (true) {
      const hub::ReadRun read{.run = run_, .after = reading_.last_n()};
      const auto page = TRY(hub::EventDocuments::read(TRY(context_.ask_for_document(read, {.wait = kParked}))));
      for (const auto& event : page.events) add(event);
      context_.outside().out.flush();
      if (context_.output_is_broken()) return kExitDone;
      if (page.has_more) continue;
      show_questions();
      if (page.has_ended) return exit_code();
      if (page.events.empty()) TRY_VOID(check_that_somebody_drives_it());
    }
  }

 private:
  void add(const Json& event) {
    if (context_.wants_json() && number_in(event, "n") > shown_after_) context_.print_json(event_document(event));
    if (number_in(event, "n") > shown_after_) show_takeover(event);
    reading_.add(event);
  }

  void show(const engine::Recorded& recorded) {
    if (context_.wants_json() || recorded.n <= shown_after_) return;
    for (const auto& line : lines_of(recorded, context_.palette())) context_.print(line + "\n");
  }

  // Those that are open, once each. What was answered before anybody watched needs no answer.
  void show_questions() {
    if (context_.wants_json()) return;
    for (const auto& [id, open] : reading_.state().open) {
      const auto asks = open.as<workflow::command::Ask>();
      if (!asks || !asked_.insert(id).second) continue;
      const engine::StepAttempt& attempt = reading_.attempts().at(id);
      if (attempt.n <= shown_after_) continue;
      const engine::RunQuestion question{run_, open.step, open.attempt, *asks, attempt.since, true, {}};
      context_.print(question_text(context_, question, question.id()));
    }
    context_.outside().out.flush();
  }

  // Who drives it now, where that changed after its start.
  void show_takeover(const Json& event) {
    if (context_.wants_json() || raw_text_in(event, "kind") != kind::kRunLeased) return;
    const std::string time = context_.palette().dim(raw_text_in(event, "at").substr(11, 8));
    context_.print(fmt::format("{} process {} drives it from here: {}\n", time,
                               number_in(object_in(object_in(event, "body"), "holder"), "pid"),
                               text_in(object_in(event, "body"), "why")));
  }

  int exit_code() const { return reading_.state().status == workflow::status::kDone ? kExitDone : kExitNothing; }

  Result<void> check_that_somebody_drives_it() {
    const auto found = TRY(context_.ask(hub::GetRun{run_}));
    if (found.run.has_ended() || found.run.is_driven()) return {};
    return fail(Code::failed, fmt::format("run {} is interrupted: no process drives it", run_),
                fmt::format("Go on with `teamster resume {}`", run_));
  }

  Context& context_;
  std::string run_;
  std::int64_t shown_after_;
  engine::RunReading reading_;
  std::set<std::string> asked_;  // questions that were shown
};

Result<int> run_watch(Context& context, const Arguments& arguments) {
  const engine::RunService runs = TRY(runs_of(context));
  const std::string run = TRY(runs.meant(arguments.value("RUN")));
  return Watching(context, run, arguments.number("after")).to_the_end();
}

}  // namespace

Command watch() {
  return {
      .path = "watch",
      .topic = "Runs",
      .summary = "Watch a run until it ends",
      .description =
          "One line for each thing that happens, from the beginning of the run, and questions as they are asked. "
          "Ctrl-C "
          "leaves the run as it is. The exit code is the run's: 0 done, 1 otherwise; also 1 when no process drives it "
          "any more. With --json each line is one record.",
      .hub = HubUse::reads,
      .positionals = {{.name = "RUN",
                       .type = ValueType::run,
                       .help = "Its name; the only one under way without it",
                       .required = false}},
      .flags = {{.name = "after",
                 .value = "N",
                 .type = ValueType::count,
                 .help = "Only what happened after record N",
                 .fallback = "0"}},
      .examples = {{"teamster watch", "The only run that is under way"},
                   {"teamster watch implement-spec-20261116-1a2b", "Wait for it to be done"}},
      .run = run_watch,
  };
}

}  // namespace teamster::cli::commands
