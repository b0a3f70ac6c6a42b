#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/replying.h"
#include "cli/framework/runs.h"
#include "engine/team_questions.h"
#include "people/replies.h"

namespace teamster::cli::commands {
namespace {

// Of a member whose team has no run.
Result<int> answer_member(Context& context, const engine::TeamQuestion& question, const std::string& text) {
  const workflow::command::Ask asks{.text = question.asks.text, .options = question.asks.options, .from = question.asks.member};
  const auto said = TRY(people::read_reply(people::posting_of(question.id(), asks), text));
  TRY_VOID(engine::answer_team_question(hub_call_of(context), question, said.answer.get<std::string>()));
  if (context.wants_json())
    context.print_json({{"id", question.id()}, {"team", question.asks.team}, {"recorded", true}});
  else
    context.print(fmt::format("{} has your answer\n", question.asks.member));
  return kExitDone;
}

Result<int> run_question_answer(Context& context, const Arguments& arguments) {
  if (!context.acts_as_member())
    if (const auto asked = engine::find_team_question(TRY(engine::open_team_questions(hub_call_of(context))),
                                                      arguments.value("QUESTION")))
      return answer_member(context, *asked, TRY(read_body(context, arguments.value("TEXT"))));
  const engine::RunQuestion question = TRY(question_for(context, arguments.value("QUESTION"), false));
  const std::string text = TRY(read_body(context, arguments.value("TEXT")));
  const people::Posting asked = people::posting_of(question.id(), question.asks);
  return reply(context, arguments, question, TRY(people::read_reply(asked, text)));
}

}  // namespace

Command question_answer() {
  return {
      .path = "answer",
      .topic = "People",
      .summary = "Answer a question of a run or of an agent",
      .description =
          "The first valid answer counts, whoever gives it and wherever. A question with options takes one of them, by "
          "its words or its number; a step that stands and an agent take other words as well. Of a run that no process drives the answer is kept until it is resumed.",
      .hub = HubUse::writes,
      .positionals = {{.name = "QUESTION",
                       .type = ValueType::question,
                       .help = "Its id in `teamster inbox`, or any part that fits one alone"},
                      {.name = "TEXT", .help = "The answer; - reads it from standard input"}},
      .flags = reply_flags(),
      .examples = {{"teamster answer which.1 2", "The second option"},
                   {"teamster answer 1a2b/scope.1 \"Only the parser\" --as kim", "In words, for kim"}},
      .run = run_question_answer,
  };
}

}  // namespace teamster::cli::commands
