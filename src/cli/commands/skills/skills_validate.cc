#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/skills/offered_skills.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/printable.h"
#include "skills/validation.h"

namespace teamster::cli::commands {
namespace {

using skills::ValidatedSkill;

// Every skill there is, also what another one hides.
Result<std::vector<ValidatedSkill>> validate_all(const Context& context, const Arguments& arguments) {
  std::vector<ValidatedSkill> all;
  const auto places = TRY(places_of_skills(context, arguments));
  for (const auto& place : places)
    for (const auto& name : TRY(place->names())) all.push_back(skills::validate_skill(*place, name));
  return all;
}

Result<std::vector<ValidatedSkill>> validate_at_paths(const Context& context, const std::vector<std::string>& paths) {
  const std::filesystem::path here = TRY(context.directory());
  std::vector<ValidatedSkill> all;
  for (const auto& path : paths) {
    const std::string absolute = (here / path).lexically_normal().string();
    for (auto& each : TRY(skills::validate_skills_at(context.outside().world().files, absolute)))
      all.push_back(std::move(each));
  }
  return all;
}

Json validated_json(const ValidatedSkill& skill) {
  return {{"name", skill.name},
          {"path", skill.place},
          {"valid", skill.problems.empty()},
          {"problems", problems_json(skill.problems)},
          {"problems_left_out", skill.problems_left_out},
          {"advice", problems_json(skill.advice)}};
}

std::string validated_text(const ValidatedSkill& skill) {
  std::string text = problem_lines(skill.problems);
  if (skill.problems_left_out > 0)
    text += fmt::format("{}: {} more problems\n", printable_line(skill.place), skill.problems_left_out);
  for (const auto& advice : skill.advice) text += "advice: " + printable_line(advice.text()) + "\n";
  if (skill.problems.empty()) text += fmt::format("{}: ok\n", printable_line(skill.place));
  return text;
}

Result<int> run_skills_validate(Context& context, const Arguments& arguments) {
  const auto paths = arguments.values("PATH");
  const auto validated = paths.empty() ? validate_all(context, arguments) : validate_at_paths(context, paths);
  const auto all = TRY(validated);
  Json list = Json::array();
  for (const auto& skill : all) {
    if (context.wants_json())
      list.push_back(validated_json(skill));
    else
      context.print(validated_text(skill));
  }
  if (context.wants_json()) context.print_json({{"skills", std::move(list)}});
  const bool is_valid =
      std::all_of(all.begin(), all.end(), [](const ValidatedSkill& skill) { return skill.problems.empty(); });
  return is_valid ? kExitDone : kExitNothing;
}

}  // namespace

Command skills_validate() {
  return {
      .path = "skills validate",
      .topic = "Skills",
      .summary = "Check skills against the Agent Skills format",
      .description =
          "Says what is wrong as FILE:LINE:COLUMN and what was expected, all of it at once: names, lengths, fields "
          "that "
          "are ignored, files that lead out of the skill. Exit code 1 when something is. Without a path: every skill "
          "that is found here. See docs/skills.md.",
      .hub = HubUse::reads,
      .positionals = {{.name = "PATH",
                       .type = ValueType::file,
                       .help = "A SKILL.md, its directory, a directory of skills, or that of a workflow",
                       .required = false,
                       .repeatable = true}},
      .flags = {workflow_of_skills_flag()},
      .examples = {{"teamster skills validate .claude/skills/drawing", "Is what I am writing right?"},
                   {"teamster skills validate --json | jq '.skills[] | select(.valid | not)'", "For a script"}},
      .run = run_skills_validate,
  };
}

}  // namespace teamster::cli::commands
