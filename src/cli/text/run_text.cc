#include "cli/text/run_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "engine/run_setup.h"
#include "env/files.h"
#include "people/posting.h"

namespace teamster::cli {
namespace {

std::string age(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return "?";
  return describe_duration(std::chrono::milliseconds(std::max<std::int64_t>(now.unix_ms - time->unix_ms, 0)));
}

std::string args_text(const workflow::RunState& state) {
  const Json& args = state.args;
  std::vector<std::string> words;
  if (!state.entry.empty()) words.push_back(state.entry);
  if (args.is_object())
    for (const auto& [name, value] : args.items()) words.push_back(text_in(args, name));
  if (state.flags.is_object())
    for (const auto& [name, value] : state.flags.items())
      if (value != false)
        words.push_back(value == true ? "--" + name : fmt::format("--{}={}", name, text_in(state.flags, name)));
  return printable_line(join(words, " "));
}

std::string or_dash(const std::string& text) { return text.empty() ? "–" : printable_line(text); }

const workflow::RunUsage& usage_of(const workflow::RunState& state) {
  static const workflow::RunUsage kNone;
  const auto used = state.usage.find("run");
  return used == state.usage.end() ? kNone : used->second;
}

std::string loops_text(const workflow::RunState& state) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : state.loops) parts.push_back(fmt::format("{} {}", name, count));
  return parts.empty() ? "none taken" : printable_line(join(parts, ", "));
}

std::string members_text(const workflow::RunState& state) {
  std::vector<std::string> parts;
  for (const auto& [name, member] : state.members)
    parts.push_back(name == member.role ? name : fmt::format("{} ({})", name, member.role));
  return parts.empty() ? "none" : printable_line(join(parts, ", "));
}

// The run's own team that is active now; empty: its members work alone.
std::string active_team(const engine::RunView& view) {
  const workflow::RunState& state = view.reading.state();
  if (view.has_ended()) return {};
  if (!state.phase_team.empty()) return state.phase_team;
  return state.run_team == view.run() ? std::string() : state.run_team;
}

std::string team_text(const engine::RunView& view) {
  const workflow::RunState& state = view.reading.state();
  const std::string team = active_team(view);
  const auto members = std::count_if(state.members.begin(), state.members.end(),
                                     [&](const auto& member) { return member.second.team == team; });
  return fmt::format("{}, {}, phase {}", printable_line(team), counted(members, "member"), or_dash(state.phase));
}

std::string holder_text(const engine::RunView& view) {
  const auto& holder = view.listed.holder;
  if (!holder) return "nobody";
  return fmt::format("process {}{}", holder->pid, view.is_held() ? "" : ", which is gone");
}

std::string line(const char* name, const std::string& text) { return fmt::format("  {:<9} {}\n", name, text); }

// "verify.3 waits for its provider, for 4m now: 529 …; tried 5 times, again in 2m 10s".
std::string weather_text(const engine::Weather& weather, WallTime now) {
  std::string text = fmt::format("{} waits for its provider", printable_line(weather.id));
  if (weather.since) text += fmt::format(", since {} ago", age(weather.since, now));
  text += fmt::format(": {}; tried {}", printable_line(weather.why), counted(weather.tries, "time"));
  if (!weather.next) return text;
  const auto left = weather.next->unix_ms - now.unix_ms;
  return text +
         (left > 0 ? fmt::format(", again in {}", describe_duration(std::chrono::milliseconds(left))) : ", again now");
}

constexpr std::string_view kStepIndent = "  ";

std::size_t columns_after_indent(const Context& context) {
  return context.columns() == 0 ? 0 : context.columns() - kStepIndent.size();
}

std::string member_of(const workflow::RunCommand& command) {
  const auto turn = command.as<workflow::command::Turn>();
  return turn ? turn->member : std::string();
}

std::string how_it_went(const Palette& palette, const engine::StepAttempt& attempt) {
  const auto turn = attempt.command.as<workflow::command::Turn>();
  std::string text = palette.status(printable_line(attempt.outcome.empty() ? "open" : attempt.outcome));
  if (turn && !turn->rung.empty()) text += fmt::format(" ({})", printable_line(turn->rung));
  const auto failed = attempt.ending.as<workflow::event::Failed>();
  return failed && !failed->error.empty() ? text + ": " + printable_line(failed->error) : text;
}

// How long nothing was heard of a member at work: its transcript is written with all that it says.
std::string silence_text(const Context& context, const engine::RunView& view, const workflow::RunCommand& open) {
  const auto turn = open.as<workflow::command::Turn>();
  const auto home = context.home();
  if (!turn || !home || !view.is_held()) return {};
  const std::string file = engine::transcript_file(*home, view.run(), turn->team, turn->member);
  const auto status = context.outside().world().files.status(file);
  if (!status || !*status) return {};
  const std::chrono::milliseconds silent(context.now().unix_ms - (*status)->modified_unix_ms);
  if (silent < limits::kTurnSilenceTold) return {};
  return fmt::format("nothing was heard of {} for {}, in {}", printable_line(turn->member), describe_duration(silent),
                     printable_line(open.id()));
}

std::string steps_text(const Context& context, const engine::RunView& view) {
  const WallTime now = context.now();
  std::vector<const engine::StepAttempt*> in_order;
  for (const auto& [id, attempt] : view.reading.attempts()) in_order.push_back(&attempt);
  std::stable_sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) { return a->n < b->n; });
  Table table({"STEP", "DOES", "WHO", "TIME", "OUTCOME"});
  for (const auto* attempt : in_order)
    table.add({context.palette().cyan(printable_line(attempt->command.id())), printable_line(attempt->command.kind()),
               or_dash(member_of(attempt->command)), age(attempt->since, attempt->until.value_or(now)),
               how_it_went(context.palette(), *attempt)});
  std::string text;
  for (const auto& each : table.lines(columns_after_indent(context))) text += fmt::format("{}{}\n", kStepIndent, each);
  return text;
}

std::string entered_text(const engine::RunReading& reading) {
  std::vector<std::string> parts;
  for (const auto& [phase, times] : reading.entered())
    if (times > 1) parts.push_back(fmt::format("{} {}", phase, times));
  return printable_line(join(parts, ", "));
}

}  // namespace

std::string report_text(const std::string& report) {
  std::string squeezed;
  for (const char c : report)
    if (c != '\n' || !squeezed.ends_with("\n\n")) squeezed += c;
  return printable_block(squeezed, "");
}

std::string run_usage_text(const workflow::RunUsage& usage) {
  return fmt::format("{}, {} tokens, {:.2f} USD", counted(usage.turns, "turn"), usage.tokens, usage.usd);
}

std::string question_text(const Context& context, const engine::RunQuestion& question, const std::string& id) {
  const workflow::command::Ask& asks = question.asks;
  const people::Posting posting = people::posting_of(id, asks);
  std::string text = fmt::format(
      "{}  {}{} to {}{}, {} ago", context.palette().bold(printable_line(id)), question.is_gate() ? "gate" : "question",
      asks.from.empty() ? "" : " of " + printable_line(asks.from), printable_line(asks.to.empty() ? "owner" : asks.to),
      asks.also.empty() ? "" : " and " + printable_line(asks.also), age(question.asked, context.now()));
  if (asks.deadline_ms > 0 && question.asked) {
    const auto left = question.asked->unix_ms + asks.deadline_ms - context.now().unix_ms;
    text += left > 0 ? fmt::format(", {} left", describe_duration(std::chrono::milliseconds(left))) : ", overdue";
  }
  text += "\n" + printable_block(asks.text, "  ");
  if (!asks.attach.empty()) text += fmt::format("  see {}\n", printable_line(asks.attach));
  for (const auto& option : people::option_lines(posting)) text += fmt::format("  {}\n", printable_line(option));
  if (!question.told_by.empty())
    return text + fmt::format("  answered by {}; the run hears it with: teamster resume {}\n",
                              printable_line(question.told_by), question.run);
  const std::string shown = printable_line(id);
  text += question.is_gate() ? fmt::format("  teamster approve {0}\n  teamster reject {0} TEXT\n", shown)
                             : fmt::format("  teamster answer {} {}\n", shown,
                                           asks.options.empty()  ? "TEXT"
                                           : posting.takes_words ? "NUMBER|TEXT"
                                                                 : "NUMBER");
  return text;
}

namespace {

std::string phase_text(const Context& context, const workflow::RunState& state) {
  const std::string phase = context.palette().cyan(or_dash(state.phase));
  return state.stage.empty() ? phase : printable_line(state.stage) + " " + phase;
}

}  // namespace

std::string runs_text(const Context& context, const std::vector<engine::RunView>& views) {
  Table table({"RUN", "ARGS", "STATUS", "PHASE", "SINCE", "USAGE"});
  std::string waiting;
  int interrupted = 0;
  for (const auto& view : views) {
    const workflow::RunState& state = view.reading.state();
    const bool has_ended = view.has_ended();
    table.add({printable_line(view.run()), or_dash(args_text(state)),
               context.palette().status(printable_line(view.status())), phase_text(context, state),
               age(has_ended ? view.listed.ended : view.listed.started, context.now()),
               run_usage_text(usage_of(state))});
    for (const auto& weather : view.weather())
      waiting += fmt::format("\n{}/{}\n", view.run(), weather_text(weather, context.now()));
    if (!active_team(view).empty()) waiting += fmt::format("\n{} has the team {}\n", view.run(), team_text(view));
    const auto questions = view.questions();
    for (const auto& question : questions) waiting += "\n" + question_text(context, question, question.id());
    if (view.status() == "interrupted") {
      ++interrupted;
      waiting += fmt::format("\n{} is interrupted: {}\n", view.run(), view.next());
    }
    if (has_ended && !state.reason.empty())
      waiting += fmt::format("\n{} is {}: {}\n", view.run(), context.palette().status(view.status()),
                             printable_line(state.reason));
  }
  if (interrupted > 1) waiting += "\nall that are interrupted go on with: teamster resume --all\n";
  return table.text(context.columns()) + waiting;
}

std::string run_text(const Context& context, const engine::RunView& view) {
  const workflow::RunState& state = view.reading.state();
  const WallTime now = context.now();
  const bool has_ended = view.has_ended();
  const std::string status =
      context.palette().status(view.status() == "waiting" ? "waiting for a person" : printable_line(view.status()));
  std::string text = fmt::format("{}  {}, started {} ago{}\n", context.palette().bold(view.run()), status,
                                 age(view.listed.started, now),
                                 has_ended ? fmt::format(", ended {} ago", age(view.listed.ended, now)) : "");
  const std::string& reason = has_ended ? state.reason : state.ending_reason;
  if (!reason.empty()) text += line("reason", printable_line(reason));
  text += line("args", or_dash(args_text(state)));
  text += line("project", or_dash(raw_text_in(view.setup, "project")));
  text += line("phase", fmt::format("{}, for {}{}", phase_text(context, state), age(view.reading.phase_since(), now),
                                    state.sender.empty() ? "" : ", after " + printable_line(state.sender)));
  if (!has_ended) text += line("driven by", holder_text(view));
  text += line("loops", loops_text(state));
  if (const std::string again = entered_text(view.reading); !again.empty()) text += line("entered", again);
  if (!has_ended) text += line("lead", view.lead_mode() + ", 0 tokens: it is code");
  if (!active_team(view).empty()) text += line("team", team_text(view));
  if (!has_ended) text += line("members", members_text(state));
  text += line("usage", run_usage_text(usage_of(state)));
  for (const auto& weather : view.weather()) text += line("weather", weather_text(weather, now));
  for (const auto& [id, open] : state.open)
    if (const std::string silence = silence_text(context, view, open); !silence.empty())
      text += line("silent", silence);
  text += steps_text(context, view);
  for (const auto& note : view.reading.notes()) text += line("note", printable_line(note));
  for (const auto& question : view.questions()) text += "\n" + question_text(context, question, question.id());
  return text + fmt::format("\nNext: {}\n", view.next());
}

}  // namespace teamster::cli
