#include "project/installed_skills.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "env/processes.h"
#include "skills/catalogue.h"
#include "skills/places.h"
#include "workflow/format/spec_words.h"

namespace teamster::engine {
namespace {

skills::Catalogue catalogue_of(const SkillPlace& place) {
  skills::Places places;
  places.workflow = place.bundle;
  places.workflow_place = place.workflow;
  places.project = place.project;
  return skills::Catalogue(skills::make_sources(place.world.files, std::move(places), [&place](const char* name) {
    return place.world.processes.variable(name);
  }));
}

// By name, with the first phase that names it.
std::map<std::string, std::string> named_skills(const workflow::Workflow& workflow) {
  std::map<std::string, std::string> named;
  for (const auto& phase : workflow.phases) {
    named.emplace(phase.skill, phase.id);
    named.emplace(phase.merge_skill, phase.id);
    if (!phase.items || phase.kind != workflow::Phase::Kind::fanout) continue;
    for (const auto& item : phase.items->fixed) named.emplace(workflow::skill_for(phase, &item), phase.id);
  }
  named.erase("");
  return named;
}

}  // namespace

Result<std::string> installed_skill(const SkillPlace& place, const std::string& name) {
  return catalogue_of(place).body(name);
}

Result<SkillsFound> find_skills(const SkillPlace& place, const std::vector<std::string>& names) {
  SkillsFound found;
  if (names.empty()) return found;
  const skills::Catalogue installed = catalogue_of(place);
  for (const auto& name : names) {
    auto body = installed.body(name);
    if (body)
      found.skills.push_back({name, *std::move(body)});
    else if (body.error().code == Code::not_found)
      found.missing.push_back(name);
    else
      return fail(body.error());
  }
  return found;
}

Result<void> check_named_skills(const SkillPlace& place, const workflow::Workflow& workflow) {
  const auto named = named_skills(workflow);
  std::vector<std::string> names;
  for (const auto& [name, phase] : named) names.push_back(name);
  const SkillsFound found = TRY(find_skills(place, names));
  if (found.missing.empty()) return {};
  const std::string& missing = found.missing.front();
  return fail(Code::refused,
              fmt::format("phase {} works by the skill {}, which is not installed", named.at(missing), missing),
              fmt::format("Put it into .teamster/skills/{0}/SKILL.md, or see `teamster skills list`", missing));
}

}  // namespace teamster::engine
