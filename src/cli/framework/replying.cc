#include "cli/framework/replying.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/framework/waiting.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "workflow/core/people.h"

namespace teamster::cli {
namespace {

std::string outcome_text(const engine::RunQuestion& question, bool is_recorded) {
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
  return arguments.has("as") ? workflow::handle_of(arguments.value("as")) : user_name(context);
}

std::string user_name(const Context& context) {
  for (const char* name : {"USER", "LOGNAME"})
    if (const auto user = context.outside().variable(name); user && !user->empty()) return *user;
  return "operator";
}

Result<engine::RunQuestion> question_for(const Context& context, const std::string& typed, bool wants_gate) {
  if (context.acts_as_member())
    return fail(Code::refused, "a member cannot answer for a person", "Run it as the operator, without a token");
  const engine::RunService runs = TRY(runs_of(context));
  const engine::RunQuestions questions = TRY(runs.questions());
  engine::RunQuestion question = TRY(engine::find_question(questions, typed));
  const std::string id = engine::short_id(questions, question);
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

Result<int> reply(Context& context, const Arguments& arguments, const engine::RunQuestion& question,
                  workflow::told::Reply said) {
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  const engine::RunService runs = TRY(runs_of(context));
  said.by = speaker(context, arguments);
  said.how = engine::kAtTerminal;
  // The operator speaks for whoever is asked, under no other name.
  const engine::PersonsReply reply{std::move(said), !arguments.has("as")};
  const engine::ReplyOutcome outcome = TRY(runs.reply(question, reply, timeout));
  if (context.wants_json())
    context.print_json(
        {{"id", question.id()}, {"run", question.run}, {"told", outcome.told}, {"recorded", outcome.is_recorded}});
  else
    context.print(outcome_text(question, outcome.is_recorded));
  return kExitDone;
}

}  // namespace teamster::cli
