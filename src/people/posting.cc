#include "people/posting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/core/people.h"

namespace teamster::people {

// An agent's options are proposals, and a step that stands is told what else the owner says. What is asked about a
// budget or an effect has no other answers than its options.
Posting posting_of(const std::string& id, const workflow::command::Ask& asks) {
  Posting posting{.id = id, .to = asks.to, .text = asks.text, .options = asks.options, .is_gate = asks.gate};
  posting.outcomes = asks.outcomes;
  posting.from = asks.from;
  posting.also = asks.also;
  posting.attach = asks.attach;
  posting.is_for_people = asks.sets == workflow::kPeople;
  posting.takes_words = !asks.from.empty() || (asks.turn && asks.scope.empty());
  return posting;
}

std::string heading_of(const Posting& posting) {
  std::string heading = posting.id;
  if (!posting.from.empty()) heading += fmt::format(": {}", posting.from);
  heading += fmt::format(" asks {}", posting.to.empty() ? "the owner" : posting.to);
  if (!posting.also.empty()) heading += fmt::format(" and now {}, too", posting.also);
  return heading;
}

std::vector<std::string> option_lines(const Posting& posting) {
  std::vector<std::string> lines;
  for (std::size_t number = 1; number <= posting.options.size(); ++number) {
    const std::string& option = posting.options[number - 1];
    const auto outcome = posting.outcomes.find(option);
    lines.push_back(
        fmt::format("{}) {}{}", number, option, outcome == posting.outcomes.end() ? "" : ": " + outcome->second));
  }
  return lines;
}

std::string how_to_type(const Posting& posting) {
  if (posting.is_gate) return "Type approve and Enter; anything else is sent back as feedback.";
  if (posting.is_for_people)
    return "Type all of them and Enter, each as: handle, name, what they know about, and qa for who tests; a ; between "
           "them, or none.";
  if (posting.options.empty()) return "Type the answer and Enter.";
  return posting.takes_words ? "Type an option or its number and Enter; other words are told to the agent."
                             : "Type an option or its number and Enter.";
}

}  // namespace teamster::people
