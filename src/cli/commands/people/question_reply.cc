#include "cli/commands/people/question_reply.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/run/run_telling.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "workflow/core/people.h"

namespace teamster::cli {
namespace {

using workflow::RunEvent;

// What became of the question after record `told`; nothing while the engine has recorded nothing.
Result<std::optional<RunEvent>> recorded_outcome(const Context& context, const RunQuestion& question, std::int64_t told,
                                                 Duration wait) {
  std::int64_t after = told;
  const std::int64_t deadline = context.now().unix_ms + to_ms(wait);
  while (true) {
    const std::int64_t left = deadline - context.now().unix_ms;
    if (left <= 0) return std::optional<RunEvent>();
    const Json page =
        TRY(context.read("run.events", {{"run", question.run}, {"after", after}}, std::chrono::milliseconds(left)));
    for (const auto& event : list_in(page, "events")) {
      after = number_in(event, "n");
      auto record = workflow::read_record(raw_text_in(event, "kind"), object_in(event, "body"));
      if (record && record->event.step == question.step && record->event.attempt == question.attempt &&
          !record->event.is<workflow::event::Due>())
        return std::optional(std::move(record->event));
    }
    if (flag_in(page, "ended") && !flag_in(page, "more")) return std::optional<RunEvent>();
    if (list_in(page, "events").empty() && !flag_in(page, "more")) return std::optional<RunEvent>();
  }
}

Error answered_by_another(const RunQuestion& question, const RunEvent& outcome) {
  const auto done = outcome.as<workflow::event::Done>();
  const std::string by = done ? raw_text_in(done->answer, "by") : "";
  return {Code::refused, fmt::format("{} answered {} first", by.empty() ? "somebody" : by, question.id()),
          fmt::format("See `teamster status {}`", question.run)};
}

// The operator speaks for whoever is asked. A name that is given must be one that may answer.
Result<void> check_speaker(const Arguments& arguments, const RunQuestion& question) {
  const std::string& to = question.asks.to;
  const std::string by = arguments.value("as");
  if (by.empty() || workflow::may_answer(question.people, to, by)) return {};
  const std::string owner = workflow::owner_of(question.people);
  return fail(Code::refused, fmt::format("{} is a question to {}, not to {}", question.id(), to, by),
              owner.empty() ? "Leave --as away to answer as the operator"
                            : fmt::format("{}, the owner, may answer for anyone", owner));
}

std::string outcome_text(const RunQuestion& question, bool is_recorded) {
  if (is_recorded) return fmt::format("{} has your answer\n", question.run);
  if (question.run_is_held)
    return fmt::format("{} was told and has not recorded it yet; see `teamster watch {}`\n", question.id(),
                       question.run);
  return fmt::format("kept for {}, which no process drives; go on with: teamster resume {}\n", question.id(),
                     question.run);
}

}  // namespace

std::vector<Flag> reply_flags() {
  return {{.name = "as", .value = "NAME", .help = "Who answers; your user name without it"},
          {.name = "timeout",
           .value = "TIME",
           .type = ValueType::duration,
           .help = "How long to wait until the run has recorded it",
           .fallback = "10s"}};
}

std::string speaker(const Context& context, const Arguments& arguments) {
  if (arguments.has("as")) return arguments.value("as");
  for (const char* name : {"USER", "LOGNAME"})
    if (const auto user = context.outside().variable(name); user && !user->empty()) return *user;
  return "operator";
}

Result<RunQuestion> question_for(const Context& context, const std::string& typed, bool wants_gate) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot answer for a person", "Run it as the operator, without a token");
  const Questions questions = TRY(read_questions(context));
  RunQuestion question = TRY(find_question(questions, typed));
  const std::string id = short_id(questions, question);
  if (question.is_gate() && !wants_gate)
    return fail(Code::invalid, fmt::format("{} is a gate: it is approved or rejected", question.id()),
                fmt::format("teamster approve {0}, or: teamster reject {0} TEXT", id));
  if (!question.is_gate() && wants_gate)
    return fail(Code::invalid, fmt::format("{} is a question: there is nothing to approve", question.id()),
                fmt::format("teamster answer {} TEXT", id));
  // Where an engine listens it decides whose is the first.
  if (!question.told_by.empty() && !question.run_is_held)
    return fail(Code::refused, fmt::format("{} has answered {} already", question.told_by, question.id()),
                fmt::format("The run hears it with `teamster resume {}`", question.run));
  return question;
}

Result<int> reply(Context& context, const Arguments& arguments, const RunQuestion& question,
                  workflow::told::Reply said) {
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  TRY_VOID(check_speaker(arguments, question));
  said.question = question.id_in_run();
  said.by = speaker(context, arguments);
  said.how = kAtTerminal;
  const std::int64_t told = number_in(TRY(tell_run(context, question.run, said)), "n");
  std::optional<RunEvent> outcome;
  if (question.run_is_held) outcome = TRY(recorded_outcome(context, question, told, timeout));
  const bool is_recorded = outcome.has_value();
  if (is_recorded && outcome->told() != told) return fail(answered_by_another(question, *outcome));
  if (context.wants_json())
    context.print_json({{"id", question.id()}, {"run", question.run}, {"told", told}, {"recorded", is_recorded}});
  else
    context.print(outcome_text(question, is_recorded));
  return kExitDone;
}

}  // namespace teamster::cli
