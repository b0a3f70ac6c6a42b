#include "cli/text/verify_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"

namespace teamster::cli {
namespace {

using verify::Outcome;

constexpr std::size_t kOutputLinesShown = 20;
constexpr std::size_t kOutputLineShownBytes = 200;
constexpr const char* kEvidenceIndent = "    ";

std::string outcome_word(Outcome outcome, const Palette& palette) {
  switch (outcome) {
    case Outcome::passed:
      return palette.green("passed     ");
    case Outcome::failed:
      return palette.red("failed     ");
    case Outcome::not_checked:
      return palette.yellow("not checked");
    case Outcome::left_out:
      return palette.dim("left out   ");
  }
  return {};
}

// The last lines, none of them without end: what went wrong stands there.
std::string shown_output(const std::string& output) {
  std::string_view rest = trimmed(output);
  std::vector<std::string> lines;
  bool is_cut = false;
  while (!rest.empty() && !is_cut) {
    const std::size_t begin = rest.rfind('\n') == rest.npos ? 0 : rest.rfind('\n') + 1;
    const std::string_view line = rest.substr(begin);
    const std::string_view shown = beginning_of(line, kOutputLineShownBytes);
    lines.push_back(std::string(shown) + (shown.size() < line.size() ? "…" : ""));
    rest = rest.substr(0, begin == 0 ? 0 : begin - 1);
    is_cut = !rest.empty() && lines.size() == kOutputLinesShown;
  }
  std::ranges::reverse(lines);
  return fmt::format("{}{}", is_cut ? fmt::format("{}… (more of it: --json)\n", kEvidenceIndent) : "",
                     printable_block(join(lines, "\n"), kEvidenceIndent));
}

std::string how_it_is_verified(const verify::Criterion& criterion) {
  switch (criterion.method) {
    case verify::Method::bash:
      return criterion.command;
    case verify::Method::subagent:
      return criterion.model.empty() ? criterion.agent : fmt::format("{} ({})", criterion.agent, criterion.model);
    case verify::Method::covered:
      return join(criterion.covered_by, ", ");
  }
  return {};
}

}  // namespace

std::string manifest_text(const verify::Manifest& manifest, std::size_t columns) {
  Table table({"CRITERION", "METHOD", "BY", "TEXT"});
  for (const auto& criterion : manifest.criteria)
    table.add({criterion.id, std::string(verify::to_string(criterion.method)),
               printable_line(trimmed(how_it_is_verified(criterion))), printable_line(criterion.text)});
  std::string text = table.text(columns);
  for (const auto& name : manifest.supersedes) text += fmt::format("supersedes {}\n", printable_line(name));
  for (const auto& amendment : manifest.amendments)
    text += fmt::format("{}: {}\n", printable_line(amendment.title),
                        amendment.is_historical
                            ? "adds no requirement"
                            : fmt::format("{} added, {} changed", amendment.added.size(), amendment.changed.size()));
  return text;
}

std::string manifest_errors_text(const std::string& file, const verify::ParsedManifest& parsed) {
  std::string text;
  for (const auto& error : parsed.errors)
    text += fmt::format("{}:{}: {}\n", printable_line(file), error.line, printable_line(error.what));
  if (parsed.errors_left_out > 0)
    text += fmt::format("{}: {} more errors\n", printable_line(file), parsed.errors_left_out);
  return text;
}

std::string result_text(const verify::Criterion& criterion, const verify::CriterionResult& result,
                        const Palette& palette) {
  constexpr double kMsPerSecond = 1000;
  std::string text = fmt::format("{}  {}  {}", outcome_word(result.outcome, palette), palette.bold(result.id),
                                 printable_line(criterion.text));
  if (result.took > Duration::zero())
    text += palette.dim(fmt::format(" ({:.1f} s)", static_cast<double>(to_ms(result.took)) / kMsPerSecond));
  text += '\n';
  if (!result.changed.empty())
    text += fmt::format("{}it changes the tree, so it ran alone: {}\n", kEvidenceIndent,
                        printable_line(join(result.changed, ", ")));
  if (result.outcome == Outcome::passed) return text;
  if (!result.why.empty()) text += fmt::format("{}{}\n", kEvidenceIndent, printable_line(result.why));
  if (result.outcome == Outcome::left_out) return text;
  for (const auto& item : result.evidence)
    text += fmt::format("{}- {}", kEvidenceIndent, printable_note(item, "      "));
  if (!result.remarks.empty()) text += fmt::format("{}{}", kEvidenceIndent, printable_note(result.remarks, "      "));
  if (!result.output.empty()) text += shown_output(result.output);
  return text;
}

std::string report_text(const verify::Report& report, const Palette& palette) {
  std::string text;
  for (const auto& one : report.disturbances)
    text += fmt::format("the tree changed while {} ran, and by none of them when it ran alone: {}\n",
                        join(one.suspects, ", "), printable_line(join(one.paths, ", ")));
  if (!report.changed_in_review.empty())
    text += fmt::format("the tree changed while reviewers worked: {}\n",
                        printable_line(join(report.changed_in_review, ", ")));
  if (!report.not_watched.empty())
    text += fmt::format("whether a check changes the tree was not watched: {}\n", printable_line(report.not_watched));
  std::string counts = fmt::format("{} of {} passed", report.count(Outcome::passed), report.results.size());
  const auto add = [&](Outcome outcome, const char* words) {
    if (const std::size_t count = report.count(outcome); count > 0) counts += fmt::format(", {} {}", count, words);
  };
  add(Outcome::failed, "failed");
  add(Outcome::not_checked, "not checked");
  add(Outcome::left_out, "left out");
  return text + (report.passed() ? palette.green(counts) : palette.red(counts)) + "\n";
}

std::string verify_progress_text(const VerifyProgress& progress, std::size_t columns) {
  std::string text = fmt::format("{} of {} checked", progress.settled, progress.total);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (!progress.running.empty()) text += "; running " + join(progress.running, ", ");
  return cut_to_columns(text, columns);
}

}  // namespace teamster::cli
