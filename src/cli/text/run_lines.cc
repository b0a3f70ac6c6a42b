#include "cli/text/run_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/text/printable.h"
#include "workflow/core/step_names.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunCommand;
using workflow::RunEvent;

constexpr std::size_t kCommandColumns = 60;

// Others' words on one line: what follows their first line is in the log.
std::string first_line(const std::string& text) { return printable_line(text.substr(0, text.find('\n'))); }
std::string words_in(const Json& body, const char* field) { return first_line(raw_text_in(body, field)); }

// The one thing of an answer that says how it went.
std::string gist(const Json& answer, const Palette& palette) {
  if (!answer.is_object()) return {};
  for (const char* field : {"passed", "approved", "all_passed", "verification_passed", "all_clear"})
    if (const auto found = answer.find(field); found != answer.end() && found->is_boolean())
      return fmt::format("{} {}", field, found->get<bool>() ? "yes" : palette.yellow("no"));
  const std::string status = words_in(answer, "status");
  if (!status.empty()) return status;
  const std::string tag = words_in(answer, "tag");
  return tag.empty() ? "" : fmt::format("tag {}", tag);
}

std::string with_reason(const std::string& what, const std::string& reason) {
  return reason.empty() ? what : fmt::format("{}: {}", what, reason);
}

std::string done_text(const Json& answer, const Palette& palette, const std::string& took) {
  const std::string outcome = gist(answer, palette);
  const std::string by = words_in(answer, "by");
  std::string text = palette.green("done") + took;
  if (!outcome.empty()) text += ", " + outcome;
  if (!by.empty()) text += " by " + by;
  for (const char* field : {"summary", "answer", "feedback"})
    if (const std::string words = words_in(answer, field); !words.empty()) return with_reason(text, words);
  return text;
}

// What a run that is taken up finds undecided.
std::string what_is_open(const RunCommand& open) {
  if (const auto turn = open.as<command::Turn>()) return fmt::format(" (asked of {})", turn->member);
  if (const auto ask = open.as<command::Ask>())
    return fmt::format(" (a question to {})", ask->to.empty() ? "its owner" : ask->to);
  if (open.is<command::Wait>()) return " (waits for its provider)";
  return fmt::format(" ({})", open.kind());
}

bool is_about_a_step(const RunEvent& heard) { return heard.is<event::Done>() || heard.is<event::Failed>(); }

std::string reminder_text(const command::Remind& remind) {
  const std::string question = first_line(remind.question);
  return remind.to.empty() ? fmt::format("{} still waits for an answer: teamster inbox", question)
                           : fmt::format("nobody answered {} in time; {} is asked now: teamster inbox", question,
                                         first_line(remind.to));
}

// "set by kim: roles.builder.model = opus, usd = 5.0"
std::string adjusted_text(const event::Adjusted& adjusted) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : adjusted.configuration) parts.push_back(fmt::format("{} = {}", name, value));
  for (const Json* each : {&adjusted.values, &adjusted.budget})
    if (each->is_object())
      for (const auto& [name, value] : each->items())
        parts.push_back(fmt::format("{} = {}", name, value.is_string() ? value.get<std::string>() : dump_json(value)));
  return fmt::format("set by {}: {}", first_line(adjusted.spoken.by.value_or("")), first_line(join(parts, ", ")));
}

// "; executor-1, process 4711, did not answer in 10 s and was ended"
std::string forced_text(const std::vector<event::ForcedMember>& forced) {
  std::string text;
  for (const auto& each : forced)
    text += fmt::format(
        "; {}{} {} and was ended", first_line(each.member), each.pid == 0 ? "" : fmt::format(", process {},", each.pid),
        each.why.empty() ? fmt::format("did not answer in {}", describe_duration(limits::kShutdownAnswerDeadline))
                         : fmt::format("refused to go ({})", first_line(each.why)));
  return text;
}

}  // namespace

std::string happened_text(const RunEvent& heard, const Palette& palette, const std::string& how_long) {
  const std::string took = how_long.empty() ? "" : " in " + how_long;
  if (const auto done = heard.as<event::Done>()) return done_text(done->answer, palette, took);
  if (const auto failed = heard.as<event::Failed>())
    return with_reason(fmt::format("{}{} ({})", palette.red("failed"), took, first_line(failed->fault)),
                       first_line(failed->error));
  if (const auto ready = heard.as<event::TeamReady>())
    return fmt::format("team {} is ready{}", first_line(ready->team), took);
  if (const auto gone = heard.as<event::TeamGone>())
    return fmt::format("team {} is gone{}{}{}", first_line(gone->team), took, forced_text(gone->forced),
                       gone->left.empty() ? "" : "; ERROR: " + first_line(gone->left));
  if (const auto asked = heard.as<event::Asked>())
    return fmt::format("{} asks: {}", first_line(asked->member), first_line(asked->text));
  if (const auto reopened = heard.as<event::Reopened>())
    return fmt::format("reopened by {}{}", first_line(reopened->spoken.by.value_or("")),
                       reopened->from.empty() ? "" : ", from " + first_line(reopened->from));
  if (const auto adjusted = heard.as<event::Adjusted>()) return adjusted_text(*adjusted);
  if (const auto asked = heard.as<event::CancelAsked>())
    return fmt::format("cancelled by {}", first_line(asked->spoken.by.value_or("")));
  if (const auto ended = heard.as<event::Ended>())
    return with_reason(palette.status(first_line(ended->status)), first_line(ended->reason));
  return {};
}

std::string decided_text(const RunCommand& decided, const Palette& palette) {
  const std::string id = palette.cyan(printable_line(decided.id()));
  if (const auto turn = decided.as<command::Turn>())
    return fmt::format("{} → {}{}", id, first_line(turn->member),
                       turn->rung.empty() ? "" : " (" + first_line(turn->rung) + ")");
  if (const auto check = decided.as<command::Check>())
    return fmt::format("{} runs: {}", id, cut_to_columns(first_line(check->shell.command), kCommandColumns));
  if (const auto note = decided.as<command::Note>())
    return fmt::format("accepted: {} still objects", first_line(note->phase));
  if (const auto warn = decided.as<command::Warn>()) return printable_block(warn->text, "");
  if (const auto retired = decided.as<command::Retire>())
    return fmt::format("{} goes: no way leads to it any more", first_line(retired->member));
  if (const auto remind = decided.as<command::Remind>()) return reminder_text(*remind);
  if (const auto wait = decided.as<command::Wait>())
    return fmt::format("{} waits for its provider, and tries again in {}: {}", id,
                       describe_duration(std::chrono::milliseconds(wait->ms)), first_line(wait->why));
  return {};
}

std::vector<std::string> lines_of(const engine::Recorded& recorded, const Palette& palette) {
  std::vector<std::string> lines;
  const std::string time = palette.dim(to_iso8601(recorded.at).substr(11, 8));
  const auto add = [&](const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{} {}", time, text));
  };
  const RunEvent& heard = recorded.record.event;
  const std::string id = printable_line(workflow::effect_id(heard.step, heard.attempt));
  const std::string happened =
      engine::is_pause(recorded.record) ? "pauses until its question is answered" : happened_text(heard, palette);
  // What went well beside the work is in the log.
  const bool is_quiet = heard.is<event::Done>() && workflow::is_beside_the_work(heard.step);
  if (!is_quiet) add(is_about_a_step(heard) ? fmt::format("{} {}", palette.cyan(id), happened) : happened);
  for (const auto& each : recorded.record.commands) {
    // A workflow's own words are known to others by their beginning.
    const auto* warning = each.as<command::Warn>();
    if (warning != nullptr && warning->text.starts_with("WARNING: "))
      lines.emplace_back(trimmed(decided_text(each, palette)));
    else
      add(decided_text(each, palette));
  }
  return lines;
}

std::string taken_up_line(const std::string& run, const workflow::RunState& state) {
  std::vector<std::string> open;
  for (const auto& [id, effect] : state.open) open.push_back(id + what_is_open(effect));
  return printable_line(fmt::format("run {} goes on{}{}", run, state.phase.empty() ? "" : " in " + state.phase,
                                    open.empty() ? "" : ", with " + join(open, ", ")));
}

}  // namespace teamster::cli
