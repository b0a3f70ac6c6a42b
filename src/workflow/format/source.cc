#include "workflow/format/source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::workflow {
namespace {

struct Family {
  std::string_view word;
  Source::Kind kind;
  bool has_path;  // may go on with fields
};

constexpr std::array kFamilies{
    Family{"args", Source::Kind::argument, false}, Family{"flags", Source::Kind::flag, false},
    Family{"values", Source::Kind::value, false},  Family{"loops", Source::Kind::loop, false},
    Family{"run", Source::Kind::run, false},       Family{"item", Source::Kind::item, true},
};

const Family* family(std::string_view word) {
  const auto it =
      std::find_if(kFamilies.begin(), kFamilies.end(), [&](const auto& known) { return known.word == word; });
  return it == kFamilies.end() ? nullptr : &*it;
}

bool is_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == text.npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

}  // namespace

const std::vector<std::string>& run_facts() {
  static const std::vector<std::string> kFacts = {
      "id",
      "started",
      "entry",
      "phase",
      "phase_number",
      "phase_name",
      "temporary",  // directory for temporary files
      "team",
      "members",      // of the team that is active, or nothing
      "team_phase",   // the phase, while a team is active
      "item_number",  // of the item at hand
      "ticked",
      "boxes",  // of the checklist, as it was read last
      "owner",
      "has_stakeholders",
      "has_qa",
      "stakeholders",
      "groups",  // of the people around the run
      "channel",
      "channel_name",
      "threads",
      "chat",            // and where they are asked
      "iteration",       // how often the phase has been entered
      "iterations",      // the same, of each phase
      "escalations",     // by what was in trouble: how far up the ladder, and why
      "directives",      // what people decided
      "own_directives",  // the same, as far as it touches the step at hand
      "lessons",         // what went badly so far, for those who come after
      "signals",         // by stage, the latest signal of an answer
      "insights"         // by stage, what answers say that others should know
  };
  return kFacts;
}

bool is_reserved(std::string_view id) { return family(id) != nullptr || id == kThisAnswer || id == "done"; }

Result<Source> parse_source(std::string_view text) {
  std::vector<std::string> parts = parts_of(text);
  if (!std::all_of(parts.begin(), parts.end(), is_part))
    return fail(Code::invalid,
                fmt::format("{} is no source: expected args/NAME, flags/NAME, values/NAME, loops/NAME, run/id, item "
                            "or PHASE/FIELD",
                            quoted(text, 80)));
  Source source;
  const Family* known = family(parts[0]);
  source.kind = known == nullptr ? Source::Kind::answer : known->kind;
  if (known != nullptr && !known->has_path && parts.size() != 2)
    return fail(Code::invalid, fmt::format("{} is no source: expected {}/NAME", quoted(text, 80), known->word));
  const bool names_first = source.kind == Source::Kind::answer;
  if (names_first) source.name = parts[0];
  if (known != nullptr && !known->has_path)
    source.name = parts[1];
  else
    source.path.assign(parts.begin() + 1, parts.end());
  return source;
}

std::string source_text(const Source& source) {
  std::string text;
  for (const auto& known : kFamilies)
    if (known.kind == source.kind) text = known.word;
  if (source.kind == Source::Kind::answer)
    text = source.name;
  else if (!source.name.empty())
    text += "/" + source.name;
  for (const auto& part : source.path) text += "/" + part;
  return text;
}

}  // namespace teamster::workflow
