#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "engine/retrospective.h"
#include "project/insights.h"

namespace teamster::cli::commands {
namespace {

using engine::Retrospective;

std::string time_text(std::int64_t ms) { return describe_duration(std::chrono::milliseconds(ms)); }

Json retro_json(const engine::RunView& view, const Retrospective& found) {
  Json findings = Json::array();
  for (const auto& each : found.findings)
    findings.push_back({{"number", findings.size() + 1},
                        {"severity", to_string(each.severity)},
                        {"kind", each.kind},
                        {"about", each.about},
                        {"text", each.text}});
  Json phases = Json::array();
  for (const auto& each : found.phases)
    phases.push_back({{"phase", each.phase},
                      {"entered", each.entered},
                      {"turns", each.usage.turns},
                      {"tokens", each.usage.tokens},
                      {"cost_usd", each.usage.usd},
                      {"worked_ms", each.worked_ms}});
  Json members = Json::array();
  for (const auto& each : found.members)
    members.push_back({{"member", each.member},
                       {"role", each.role},
                       {"turns", each.usage.turns},
                       {"tokens", each.usage.tokens},
                       {"cost_usd", each.usage.usd},
                       {"tries_again", each.tries_again},
                       {"refused", each.refused},
                       {"idle_ms", each.idle_ms},
                       {"longest_prompt", each.longest_prompt},
                       {"window_percent", each.window_percent}});
  return {{"run", view.run()},
          {"status", view.status()},
          {"findings", std::move(findings)},
          {"phases", std::move(phases)},
          {"members", std::move(members)},
          {"lead", {{"turns", 0}, {"tokens", 0}, {"cost_usd", 0}}},
          {"turns", found.turns},
          {"waited_for_people_ms", found.waited_for_people_ms}};
}

Table findings_table(const Retrospective& found) {
  Table table({"", "SEVERITY", "KIND", "ABOUT", "FINDING"});
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    const auto& each = found.findings[i];
    table.add({std::to_string(i + 1), std::string(to_string(each.severity)), each.kind, printable_line(each.about),
               printable_line(each.text)});
  }
  return table;
}

std::string retro_text(const Context& context, const engine::RunView& view, const Retrospective& found) {
  std::string text = fmt::format("{}: {}\n\n", printable_line(view.run()), view.status());
  text += found.findings.empty() ? std::string("nothing found\n") : findings_table(found).text(context.columns());
  Table phases({"PHASE", "ENTERED", "TURNS", "TOKENS", "USD", "TIME"});
  for (const auto& each : found.phases)
    phases.add({printable_line(each.phase), std::to_string(each.entered), std::to_string(each.usage.turns),
                std::to_string(each.usage.tokens), fmt::format("{:.2f}", each.usage.usd), time_text(each.worked_ms)});
  Table members({"MEMBER", "TURNS", "TOKENS", "USD", "AGAIN", "REFUSED", "IDLE", "LONGEST PROMPT"});
  for (const auto& each : found.members)
    members.add({printable_line(each.member), std::to_string(each.usage.turns), std::to_string(each.usage.tokens),
                 fmt::format("{:.2f}", each.usage.usd), std::to_string(each.tries_again), std::to_string(each.refused),
                 time_text(each.idle_ms),
                 each.window_percent == 0 ? std::to_string(each.longest_prompt)
                                          : fmt::format("{} ({} %)", each.longest_prompt, each.window_percent)});
  members.add({"lead", "0", "0", "0.00", "0", "0", "-", "it is code"});
  return text + "\n" + phases.text(context.columns()) + "\n" + members.text(context.columns()) +
         fmt::format("\nwaited for people: {}\n", time_text(found.waited_for_people_ms));
}

// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : printable_line(text)) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string retro_markdown(const engine::RunView& view, const Retrospective& found) {
  std::string text = fmt::format("# {}: {}\n\n## Findings\n\n", view.run(), view.status());
  if (found.findings.empty()) text += "None.\n";
  if (!found.findings.empty()) text += "| | severity | kind | about | finding |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    const auto& each = found.findings[i];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", i + 1, to_string(each.severity), each.kind, cell(each.about),
                        cell(each.text));
  }
  text += "\n## Cost\n\n| phase | entered | turns | tokens | USD | time |\n|---|---|---|---|---|---|\n";
  for (const auto& each : found.phases)
    text += fmt::format("| {} | {} | {} | {} | {:.2f} | {} |\n", cell(each.phase), each.entered, each.usage.turns,
                        each.usage.tokens, each.usage.usd, time_text(each.worked_ms));
  text += "\n| member | turns | tokens | USD | tries again | refused | idle |\n|---|---|---|---|---|---|---|\n";
  for (const auto& each : found.members)
    text += fmt::format("| {} | {} | {} | {:.2f} | {} | {} | {} |\n", cell(each.member), each.usage.turns,
                        each.usage.tokens, each.usage.usd, each.tries_again, each.refused, time_text(each.idle_ms));
  return text + "| lead | 0 | 0 | 0.00 | 0 | 0 | - |\n";
}

Result<void> accept(Context& context, const engine::RunView& view, const Retrospective& found,
                    const std::vector<std::string>& numbers) {
  const std::string project = raw_text_in(view.setup, "project");
  for (const auto& each : numbers) {
    const std::size_t number = each.find_first_not_of("0123456789") == std::string::npos && each.size() < 6
                                   ? static_cast<std::size_t>(std::stoul("0" + each))
                                   : 0;
    if (number == 0 || number > found.findings.size())
      return fail(Code::invalid, fmt::format("there is no finding {}", quoted(each, 40)),
                  fmt::format("Name one of 1 to {}", found.findings.size()));
    const auto& finding = found.findings[number - 1];
    const engine::Project place{context.outside().world().files, project};
    const bool is_new = TRY(engine::add_insight(place, finding.about, finding.text));
    context.note(fmt::format("{} {}/{}, under {}\n", is_new ? "added to" : "is already in", project,
                             engine::kInsightsFile, printable_line(finding.about)));
  }
  return {};
}

Result<int> run_retro(Context& context, const Arguments& arguments) {
  const engine::RunService runs = TRY(runs_of(context));
  const engine::RunView view = TRY(runs.view(TRY(runs.meant(arguments.value("RUN")))));
  const engine::PinnedRun pinned = TRY(runs.pinned(view.run()));
  const Retrospective found = engine::retrospective_of(pinned.pinned, view.reading);
  if (arguments.has("accept")) TRY_VOID(accept(context, view, found, arguments.values("accept")));
  if (context.wants_json())
    context.print_json(retro_json(view, found));
  else
    context.print(arguments.has("markdown") ? retro_markdown(view, found) : retro_text(context, view, found));
  return kExitDone;
}

}  // namespace

Command retro() {
  return {
      .path = "retro",
      .topic = "Runs",
      .summary = "Look back at a run: what went badly, and what each part has cost",
      .description =
          "Findings come from the run's journal, the worst first: rungs of the ladder, loops, refused answers, claims "
          "without a check, long waits. The grave ones reach the prompts of what comes next in the same run; an "
          "accepted one is kept in .teamster/insights.md of the project and reaches the prompts of later runs that it "
          "concerns.",
      .hub = HubUse::reads,
      .positionals = {{.name = "RUN", .type = ValueType::run, .help = "Its name"}},
      .flags = {{.name = "markdown", .help = "As Markdown"},
                {.name = "accept",
                 .value = "NUMBER",
                 .help = "Keep this finding among the insights of the project",
                 .repeatable = true}},
      .examples = {{"teamster retro pipeline-20261116-1a2b", "What can be learned from it?"},
                   {"teamster retro pipeline-20261116-1a2b --accept 1", "Remember the first finding"},
                   {"teamster retro pipeline-20261116-1a2b --json | jq '.findings[] | select(.severity == \"high\")'",
                    "For a script"}},
      .run = run_retro,
  };
}

}  // namespace teamster::cli::commands
