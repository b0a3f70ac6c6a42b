#include "workflow/format/spec_words.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace teamster::workflow {

const std::vector<std::string>& phase_kinds() {
  static const std::vector<std::string> kWords = {"agent", "fanout", "ask",      "gate",
                                                  "check", "notify", "workflow", "commit"};
  return kWords;
}

const std::string& word_of(Phase::Kind kind) { return phase_kinds().at(static_cast<std::size_t>(kind)); }

std::string stage_of(const Phase& phase) { return phase.stage.empty() ? std::to_string(phase.number) : phase.stage; }

std::optional<std::int64_t> stage_number(const Phase& phase) {
  const std::string stage = stage_of(phase);
  std::int64_t number = 0;
  const char* end = stage.data() + stage.size();
  const auto [stop, error] = std::from_chars(stage.data(), end, number);
  // "03" is a name: as a number it would be written otherwise.
  if (error != std::errc{} || stop != end || std::to_string(number) != stage) return std::nullopt;
  return number;
}

std::string skill_for(const Phase& phase, const Json* item) {
  if (item == nullptr || !item->is_object()) return phase.skill;
  const auto own = item->find("skill");
  return own != item->end() && own->is_string() ? own->get<std::string>() : phase.skill;
}

std::string then_text(const Loop& loop) {
  switch (loop.then) {
    case Loop::Then::block:
      return "block";
    case Loop::Then::accept:
      return "accept";
    case Loop::Then::escalate:
      return "escalate";
    case Loop::Then::fail:
      return "fail";
    case Loop::Then::go:
      return "goto " + loop.target;
  }
  return {};
}

}  // namespace teamster::workflow
