#include "workflow/core/speakers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::workflow {

std::string speaker_of(const Phase& phase, const Json& answer) {
  const Json by = value_at(answer, "by");
  if ((phase.kind == Phase::Kind::ask || phase.kind == Phase::Kind::gate) && by.is_string())
    return fmt::format("{}, {}", by.get<std::string>(), phase.id);
  if (phase.kind == Phase::Kind::check) return fmt::format("the command of {}", phase.id);
  const std::string& role = phase.merge.empty() ? phase.role : phase.merge;
  return role.empty() ? phase.id : fmt::format("{}, {}", role, phase.id);
}

bool is_authors(const Phase& phase, const Json& item) {
  if (!phase.items) return false;
  const auto& fixed = phase.items->fixed;
  return std::find(fixed.begin(), fixed.end(), item) != fixed.end();
}

std::string speaker_of_value(const Pinned& pinned, const Moment& moment, const std::string& name) {
  for (const auto& value : pinned.workflow.values)
    if (value.name == name &&
        (value.kind == Value::Kind::text || value.kind == Value::Kind::line || value.kind == Value::Kind::sections))
      return "the file " + short_text(pinned, moment, value.of).value_or(value.of);
  return {};
}

namespace {

std::string speaker_of_source(const Pinned& pinned, const Moment& moment, const Source& source) {
  static const Json kNothing;
  switch (source.kind) {
    case Source::Kind::item:
      if (moment.phase == nullptr) return "the items";
      return moment.item != nullptr && is_authors(*moment.phase, *moment.item) ? ""
                                                                               : "the items of " + moment.phase->id;
    case Source::Kind::value:
      return speaker_of_value(pinned, moment, source.name);
    case Source::Kind::argument:
      for (const auto& argument : pinned.workflow.args)
        if (argument.name == source.name && argument.pattern.empty() && argument.choices.empty())
          return "the argument " + source.name;
      return {};
    case Source::Kind::flag:
      for (const auto& flag : pinned.workflow.flags)
        if (flag.name() == source.name && !flag.is_switch() && flag.value.pattern.empty() && flag.value.choices.empty())
          return "the flag --" + source.name;
      return {};
    case Source::Kind::answer:
      for (const auto& phase : pinned.workflow.phases)
        if (phase.id == source.name) {
          const auto answer = moment.state.answers.find(phase.id);
          return speaker_of(phase, answer == moment.state.answers.end() ? kNothing : answer->second.value);
        }
      return moment.phase == nullptr ? source.name : moment.phase->id;
    case Source::Kind::run:
      if (source.name == "directives" || source.name == "own_directives") return "the people of this run";
      if (source.name == "lessons" || source.name == "escalations") return "the engine, about this run";
      if (source.name == "signals" || source.name == "insights") return "the members of this run";
      return source.name == "stakeholders" || source.name == "groups" ? "who named the people" : "";
    case Source::Kind::loop:
      break;
  }
  return {};
}

}  // namespace

std::string speakers_of(const Pinned& pinned, const Moment& moment, const std::vector<Source>& sources) {
  std::vector<std::string> names;
  for (const auto& source : sources)
    if (std::string name = speaker_of_source(pinned, moment, source);
        !name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  return join(names, " and ");
}

}  // namespace teamster::workflow
