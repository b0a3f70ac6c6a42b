#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/run_json.h"
#include "cli/text/run_text.h"
#include "cli/text/team_question_text.h"
#include "engine/team_questions.h"
#include "protocol/words/addresses.h"
#include "workflow/core/people.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_inbox(Context& context, const Arguments& arguments) {
  const engine::RunService runs = TRY(runs_of(context));
  const engine::RunQuestions questions = TRY(runs.questions());
  const std::string to = arguments.value("to");
  Json list = Json::array();
  std::string text;
  for (const auto& question : questions.open) {
    if (!to.empty() && !workflow::is_addressed_to(question.people, question.asks.to, to)) continue;
    const std::string id = engine::short_id(questions, question);
    Json entry = question_json(question);
    entry["short_id"] = id;
    list.push_back(std::move(entry));
    text += (text.empty() ? "" : "\n") + question_text(context, question, id);
  }
  // Nobody but the operator is asked outside of a run.
  if (to.empty() || to == kOperator)
    for (const auto& question : TRY(engine::open_team_questions(hub_call_of(context)))) {
      list.push_back(question_json(question));
      text += (text.empty() ? "" : "\n") + question_text(context, question);
    }
  const bool is_empty = list.empty();
  if (context.wants_json())
    context.print_json({{"questions", std::move(list)}});
  else if (is_empty)
    context.note("nobody waits for you\n");
  else
    context.print(text);
  return is_empty ? kExitNothing : kExitDone;
}

}  // namespace

Command inbox() {
  return {
      .path = "inbox",
      .topic = "People",
      .summary = "Show what people are asked",
      .description = "All open questions and gates of the runs under way, and what agents of other teams ask: id, "
                     "addressee, text, options, deadline and age. Exit code 1 when there are none.",
      .hub = HubUse::reads,
      .flags = {{.name = "to", .value = "WHOM", .help = "Only those addressed to this person"}},
      .examples = {{"teamster inbox", "What am I asked?"},
                   {"teamster inbox --json | jq -r '.questions[].id'", "Their ids"}},
      .run = run_inbox,
  };
}

}  // namespace teamster::cli::commands
