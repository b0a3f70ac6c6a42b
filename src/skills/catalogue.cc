#include "skills/catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "skills/skill_limits.h"

namespace teamster::skills {
namespace {

std::string listed(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() - std::min(names.size(), limits::kSkillsListedMax);
  names.resize(names.size() - more);
  return join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// What cannot even be read is a problem of its file.
std::optional<SkillText> read_skill(const Source& source, const std::string& name, workflow::Problems& problems) {
  const std::string place = source.place_of(name, kSkillFile);
  const auto text = source.read(name, kSkillFile, limits::kSkillMaxBytes);
  if (text) return parse_skill(place, name, *text, problems);
  problems.add(place, {}, text.error().text());
  return std::nullopt;
}

}  // namespace

Catalogue::Catalogue(std::vector<std::unique_ptr<Source>> sources) : sources_(std::move(sources)) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto names = sources_[i]->names();
    if (!names)
      troubles_.push_back(names.error());
    else
      for (const auto& name : *names) add(i, name);
  }
}

void Catalogue::add(std::size_t source, const std::string& name) {
  const Source& from = *sources_[source];
  const std::string place = from.place_of(name, kSkillFile);
  workflow::Problems problems;
  auto skill = read_skill(from, name, problems);
  if (!skill) {
    broken_.push_back({name, from.from(), place, problems.sorted()});
    return;
  }
  const auto winner =
      std::find_if(skills_.begin(), skills_.end(), [&](const KnownSkill& each) { return each.head.name == name; });
  if (winner != skills_.end()) {
    winner->hidden.push_back({from.from(), place});
    return;
  }
  skills_.push_back({std::move(skill->head), from.from(), place, problems.sorted().size() + problems.left_out()});
  source_of_.push_back(source);
}

Result<std::size_t> Catalogue::index_of(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < skills_.size(); ++i) {
    if (skills_[i].head.name == name) return i;
    names.push_back(skills_[i].head.name);
  }
  for (const auto& broken : broken_)
    if (broken.name == name)
      return fail(Code::failed,
                  fmt::format("the skill {} cannot be used: {}", quoted(name, 80), broken.problems.front().text()),
                  fmt::format("Mend it; `teamster skills validate {}` shows all that is wrong", broken.place));
  const auto meant = closest(name, names);
  const std::string there = names.empty() ? "No skills are offered here" : "There are: " + listed(std::move(names));
  return fail(Code::not_found, fmt::format("there is no skill {}", quoted(name, 80)),
              meant ? fmt::format("Did you mean {}? {}", *meant, there) : there);
}

Result<KnownSkill> Catalogue::find(const std::string& name) const { return skills_[TRY(index_of(name))]; }

Result<std::string> Catalogue::body(const std::string& name) const {
  const std::size_t index = TRY(index_of(name));
  workflow::Problems problems;
  auto skill = read_skill(*sources_[source_of_[index]], name, problems);
  if (skill) return std::move(skill->body);
  return fail(Code::failed,
              fmt::format("the skill {} cannot be read any more: {}", name, problems.sorted().front().text()),
              "Go on without it, and tell whoever wrote it");
}

Result<std::vector<Resource>> Catalogue::resources(const std::string& name) const {
  workflow::Problems ignored;  // `teamster skills validate` shows them
  return sources_[source_of_[TRY(index_of(name))]]->resources(name, ignored);
}

Result<std::string> Catalogue::resource(const std::string& name, const std::string& path) const {
  const Source& source = *sources_[source_of_[TRY(index_of(name))]];
  auto text = source.read(name, path, limits::kSkillResourceMaxBytes);
  if (text && find_invalid_utf8(*text))
    return fail(Code::invalid, fmt::format("{} of the skill {} is no text", quoted(path, 100), name),
                fmt::format("It lies at {}", source.place_of(name, path)));
  if (text || text.error().code != Code::not_found) return text;
  std::vector<std::string> there;
  for (const auto& each : TRY(resources(name))) there.push_back(each.path);
  return fail(Code::not_found, fmt::format("the skill {} has no {}", name, quoted(path, 100)),
              there.empty() ? "It has no resources" : "It has: " + listed(std::move(there)));
}

}  // namespace teamster::skills
