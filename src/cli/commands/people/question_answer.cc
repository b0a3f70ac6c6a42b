#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/commands/people/question_reply.h"

namespace teamster::cli::commands {
namespace {

// The option that was typed, by number or in its words; any text where there are none.
Result<std::string> chosen(const RunQuestion& question, const std::string& typed) {
  const auto& options = question.asks.options;
  if (options.empty()) {
    if (trimmed(typed).empty()) return fail(Code::invalid, "the answer is empty", "Write one, or - for standard input");
    return typed;
  }
  const std::string word(trimmed(typed));
  if (std::find(options.begin(), options.end(), word) != options.end()) return word;
  for (std::size_t number = 1; number <= options.size(); ++number)
    if (word == std::to_string(number)) return options[number - 1];
  return fail(Code::invalid, fmt::format("{} is no answer to {}", quoted(word, 80), question.id()),
              fmt::format("Choose one, or its number: {}", join(options, ", ")));
}

Result<int> run_question_answer(Context& context, const Arguments& arguments) {
  const RunQuestion question = TRY(question_for(context, arguments.value("QUESTION"), false));
  const std::string text = TRY(read_body(context, arguments.value("TEXT")));
  const auto answer = TRY(chosen(question, text));
  return reply(context, arguments, question, {.answer = answer});
}

}  // namespace

Command question_answer() {
  return {
      .path = "answer",
      .topic = "People",
      .summary = "Answer a question of a run",
      .description =
          "The first valid answer counts, whoever gives it and wherever. A question with options takes one of them, by "
          "its words or its number. Of a run that no process drives the answer is kept until it is resumed.",
      .hub = HubUse::writes,
      .positionals = {{.name = "QUESTION", .help = "Its id in `teamster inbox`, or any part that fits one alone"},
                      {.name = "TEXT", .help = "The answer; - reads it from standard input"}},
      .flags = reply_flags(),
      .examples = {{"teamster answer which.1 2", "The second option"},
                   {"teamster answer 1a2b/scope.1 \"Only the parser\" --as kim", "In words, for kim"}},
      .run = run_question_answer,
  };
}

}  // namespace teamster::cli::commands
