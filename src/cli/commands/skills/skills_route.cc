#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands/skills/offered_skills.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/table.h"
#include "skills/routing.h"
#include "skills/skill_limits.h"

namespace teamster::cli::commands {
namespace {

constexpr std::size_t kShownMax = 5;

std::vector<skills::RoutedSkill> ranked_skills(const skills::Catalogue& catalogue, const std::string& task) {
  std::vector<skills::Head> heads;
  for (const auto& skill : catalogue.skills()) heads.push_back(skill.head);
  auto ranked = skills::Router(heads).rank(task);
  if (ranked.size() > kShownMax) ranked.resize(kShownMax);
  return ranked;
}

Json route_document(const std::vector<skills::RoutedSkill>& ranked, bool is_found) {
  Json list = Json::array();
  for (const auto& skill : ranked)
    list.push_back({{"skill", skill.name},
                    {"score", skill.score},
                    {"evidence", skill.evidence},
                    {"coverage", skill.coverage},
                    {"fits", skill.fits()},
                    {"words", skill.words}});
  return {{"skill", is_found ? Json(ranked.front().name) : Json()}, {"ranked", std::move(list)}};
}

Result<int> run_skills_route(Context& context, const Arguments& arguments) {
  const std::string task = join(arguments.values("TEXT"), " ");
  if (task.size() > limits::kRoutedTextMaxBytes)
    return fail(Code::invalid,
                fmt::format("the text has {} bytes, the limit is {}", task.size(), limits::kRoutedTextMaxBytes),
                "Say in a few sentences what is to be done");
  const skills::Catalogue catalogue(TRY(places_of_skills(context, arguments)));
  const auto ranked = ranked_skills(catalogue, task);
  const bool is_found = !ranked.empty() && ranked.front().fits();
  if (context.wants_json()) {
    context.print_json(route_document(ranked, is_found));
    return is_found ? kExitDone : kExitNothing;
  }
  if (!is_found) context.print("none fits\n");
  Table table({"SKILL", "EVIDENCE", "WORDS IN COMMON"});
  for (const auto& skill : ranked)
    table.add({skill.name, fmt::format("{:.2f}", skill.evidence), join(skill.words, ", ")});
  if (!ranked.empty()) context.print(table.text(context.columns()));
  return is_found ? kExitDone : kExitNothing;
}

}  // namespace

Command skills_route() {
  return {
      .path = "skills route",
      .topic = "Skills",
      .summary = "Say which skill a task is for",
      .description =
          "By the words that a task and the descriptions of skills have in common, the rarer the better, compared by "
          "their stems; no model is asked. The five best are shown. Exit code 1 when none fits. EVIDENCE counts words "
          "that "
          "only one skill has.",
      .hub = HubUse::reads,
      .positionals = {{.name = "TEXT", .help = "What is to be done", .repeatable = true}},
      .flags = {workflow_of_skills_flag()},
      .examples = {{"teamster skills route 'may I close a task that somebody else has claimed?'", "Which one is it?"},
                   {"teamster skills route --json 'write release notes' | jq -r .skill", "For a script"}},
      .run = run_skills_route,
  };
}

}  // namespace teamster::cli::commands
