#include "cli/text/team_question_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "people/posting.h"
#include "protocol/words/addresses.h"

namespace teamster::cli {

std::string question_text(const Context& context, const engine::TeamQuestion& question) {
  const auto& asks = question.asks;
  const std::string id = printable_line(question.id());
  std::string text = fmt::format("{}  question of {} to you, {} ago\n", context.palette().bold(id),
                                 printable_line(asks.member), age_text(question.asked, context.now()));
  text += printable_block(asks.text, "  ");
  const people::Posting posting{.id = question.id(), .to = {}, .text = asks.text, .options = asks.options};
  for (const auto& option : people::option_lines(posting)) text += fmt::format("  {}\n", printable_line(option));
  return text + fmt::format("  teamster answer {} {}\n", id, asks.options.empty() ? "TEXT" : "NUMBER|TEXT");
}

Json question_json(const engine::TeamQuestion& question) {
  const auto& asks = question.asks;
  return {{"id", question.id()},
          {"short_id", question.id()},
          {"run", nullptr},
          {"team", asks.team},
          {"gate", false},
          {"to", kOperator},
          {"from", asks.member},
          {"text", asks.text},
          {"options", asks.options},
          {"expertise", asks.expertise.empty() ? Json() : Json(asks.expertise)},
          {"asked", question.asked ? Json(to_iso8601(*question.asked)) : Json()}};
}

}  // namespace teamster::cli
