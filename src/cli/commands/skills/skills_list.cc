#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands/skills/offered_skills.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "skills/level_one.h"

namespace teamster::cli::commands {
namespace {

Json skill_json(const skills::KnownSkill& skill, const skills::LevelOne& level) {
  Json hidden = Json::array();
  for (const auto& each : skill.hidden) hidden.push_back({{"from", each.from}, {"path", each.place}});
  const bool is_listed =
      std::find(level.left_out.begin(), level.left_out.end(), skill.head.name) == level.left_out.end();
  return {{"name", skill.head.name},   {"description", skill.head.description},
          {"from", skill.from},        {"path", skill.place},
          {"listed", is_listed},       {"valid", skill.problem_count == 0},
          {"hides", std::move(hidden)}};
}

Json list_document(const skills::Catalogue& catalogue, const skills::LevelOne& level) {
  Json list = Json::array();
  for (const auto& skill : catalogue.skills()) list.push_back(skill_json(skill, level));
  Json broken = Json::array();
  for (const auto& each : catalogue.broken())
    broken.push_back(
        {{"name", each.name}, {"from", each.from}, {"path", each.place}, {"problems", problems_json(each.problems)}});
  Json troubles = Json::array();
  for (const auto& trouble : catalogue.troubles()) troubles.push_back(trouble.text());
  return {{"skills", std::move(list)},
          {"broken", std::move(broken)},
          {"troubles", std::move(troubles)},
          {"level_one", {{"characters", level.characters}, {"budget", level.budget}, {"left_out", level.left_out}}}};
}

std::string list_text(const skills::Catalogue& catalogue, const skills::LevelOne& level, std::size_t columns) {
  Table table({"SKILL", "FROM", "DESCRIPTION"});
  std::string notes;
  for (const auto& skill : catalogue.skills()) {
    table.add({skill.head.name, skill.from, printable_line(skill.head.description)});
    for (const auto& hidden : skill.hidden)
      notes +=
          fmt::format("{} hides {} ({})\n", printable_line(skill.place), printable_line(hidden.place), hidden.from);
    if (skill.problem_count > 0)
      notes +=
          fmt::format("{} has mistakes: teamster skills validate {}\n", skill.head.name, printable_line(skill.place));
  }
  for (const auto& each : catalogue.broken()) notes += "not used: " + problem_lines(each.problems);
  for (const auto& trouble : catalogue.troubles()) notes += "not looked at: " + printable_line(trouble.text()) + "\n";
  notes += fmt::format("level 1 has {} of {} characters\n", level.characters, level.budget);
  if (!level.left_out.empty())
    notes += fmt::format("{} of them fall out of it, so no agent is told of them: {}\n", level.left_out.size(),
                         join(level.left_out, ", "));
  return table.text(columns) + "\n" + notes;
}

Result<int> run_skills_list(Context& context, const Arguments& arguments) {
  const skills::Catalogue catalogue(TRY(places_of_skills(context, arguments)));
  const auto window = arguments.has("window") ? static_cast<std::size_t>(arguments.number("window")) : 0;
  const auto level = skills::level_one(catalogue.skills(), skills::level_one_budget(window));
  if (context.wants_json())
    context.print_json(list_document(catalogue, level));
  else
    context.print(list_text(catalogue, level, context.columns()));
  return kExitDone;
}

}  // namespace

Command skills_list() {
  return {
      .path = "skills list",
      .topic = "Skills",
      .summary = "Show which skills agents are offered here",
      .description =
          "Those of the project (.teamster/skills, .claude/skills), your own (~/.config/teamster/skills, "
          "~/.claude/skills) and the built-in ones; of the same name the first counts, and what it hides is said. "
          "Level 1, names and descriptions, has a budget: 2 % of the context window in characters, at least 16,000.",
      .hub = HubUse::reads,
      .flags = {workflow_of_skills_flag(),
                {.name = "window",
                 .value = "CHARACTERS",
                 .type = ValueType::count,
                 .help = "The size of the model's context window, for the budget of level 1"}},
      .examples = {{"teamster skills list", "What can agents look up here?"},
                   {"teamster skills list --json | jq -r '.level_one.left_out[]'", "What falls out of the budget?"}},
      .run = run_skills_list,
  };
}

}  // namespace teamster::cli::commands
