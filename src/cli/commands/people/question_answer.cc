#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/framework/replying.h"
#include "people/replies.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_question_answer(Context& context, const Arguments& arguments) {
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
      .summary = "Answer a question of a run",
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
