#include "skills/validation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "skills/channels.h"
#include "skills/skill_limits.h"
#include "skills/skill_text.h"

namespace teamster::skills {
namespace {

std::string without_slash_at_end(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_misspelt(const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name != kSkillFile && (lower == "skill.md" || lower == "skills.md" || lower == "skill.markdown");
}

// A SKILL.md under another name is found by nobody, so nobody would say what is wrong.
void add_misspelt(env::Files& files, const std::string& directory, std::vector<ValidatedSkill>& found) {
  const auto names = files.list(directory);
  if (!names) return;
  for (const auto& name : *names) {
    if (!is_misspelt(name)) continue;
    const std::string place = directory + "/" + name;
    found.push_back({last_of(directory), place, {{place, 1, 1, "expected SKILL.md as the name of this file"}}, 0, {}});
  }
}

Result<std::vector<ValidatedSkill>> validate_below(env::Files& files, const std::string& directory) {
  std::vector<ValidatedSkill> found;
  const auto source = make_directory_source(files, "path", directory);
  for (const auto& name : TRY(source->names())) found.push_back(validate_skill(*source, name));
  for (const auto& name : TRY(files.list(directory))) {
    const auto status = files.status(directory + "/" + name);
    const bool has_skill = files.status(source->place_of(name, kSkillFile)).value_or(std::nullopt).has_value();
    if (status && *status && (*status)->is_directory && !has_skill) add_misspelt(files, directory + "/" + name, found);
  }
  return found;
}

}  // namespace

ValidatedSkill validate_skill(const Source& source, const std::string& name) {
  ValidatedSkill validated;
  validated.name = name;
  validated.place = source.place_of(name, kSkillFile);
  workflow::Problems problems;
  const auto text = source.read(name, kSkillFile, limits::kSkillMaxBytes);
  if (!text)
    problems.add(validated.place, {}, text.error().text());
  else if (const auto skill = parse_skill(validated.place, name, *text, problems)) {
    const auto lines = static_cast<std::size_t>(std::count(skill->body.begin(), skill->body.end(), '\n')) + 1;
    for (auto& wrong : problems_of_channels(*skill))
      problems.add(validated.place, {skill->body_line, 1}, std::move(wrong));
    if (skill->body.empty())
      validated.advice.push_back({validated.place, skill->body_line, 1, "there are no instructions in it"});
    if (lines > limits::kSkillLinesAdvised)
      validated.advice.push_back(
          {validated.place, skill->body_line, 1,
           fmt::format("the body has {} lines, over {}: put what is seldom needed into files beside it", lines,
                       limits::kSkillLinesAdvised)});
  }
  (void)source.resources(name, problems);
  validated.problems = problems.sorted();
  validated.problems_left_out = problems.left_out();
  return validated;
}

Result<std::vector<ValidatedSkill>> validate_skills_at(env::Files& files, const std::string& path) {
  std::string directory = without_slash_at_end(path);
  const auto status = TRY(files.status(directory));
  if (!status) return fail(Code::not_found, fmt::format("there is nothing at {}", quoted(path, 200)));
  const bool names_the_file = !status->is_directory && last_of(directory) == kSkillFile;
  if (names_the_file) directory = parent_of(directory);
  if (names_the_file || TRY(files.status(directory + "/" + kSkillFile))) {
    const auto source = make_directory_source(files, "path", parent_of(directory));
    return std::vector{validate_skill(*source, last_of(directory))};
  }
  if (status->is_directory) {
    std::vector<ValidatedSkill> found;
    add_misspelt(files, directory, found);
    for (const auto& place : {directory, directory + "/skills"}) {
      if (!found.empty() || !TRY(files.status(place))) continue;
      found = TRY(validate_below(files, place));
    }
    if (!found.empty()) return found;
  }
  return fail(Code::not_found, fmt::format("there is no skill at {}", quoted(path, 200)),
              "Name a SKILL.md, the directory it lies in, or a directory of such directories");
}

}  // namespace teamster::skills
