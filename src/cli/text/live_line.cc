#include "cli/text/live_line.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/text/agent_text.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;

// Those below it are shown instead.
bool is_shown(const workflow::RunCommand& open) {
  return !open.is<command::SubRun>() && !open.is<command::EndSubRun>() && !open.is<command::End>();
}

std::string who_of(const workflow::RunCommand& open) {
  if (const auto ask = open.as<command::Ask>()) return printable_line(ask->to);
  const auto turn = open.as<command::Turn>();
  return turn ? printable_line(turn->member) : std::string();
}

std::string doing_of(const workflow::RunCommand& open) {
  if (open.is<command::Turn>()) return "begins";
  if (const auto check = open.as<command::Check>()) return printable_line(check->shell.command);
  if (open.is<command::MakeTeam>()) return "makes the team";
  if (open.is<command::EndTeam>()) return "ends the team";
  if (open.is<command::Commit>()) return "commits";
  if (const auto wait = open.as<command::Wait>()) return "waits: " + printable_line(wait->why);
  return printable_line(open.kind());
}

std::string short_count(std::int64_t count) {
  constexpr std::int64_t kThousand = 1000;
  if (count < kThousand) return std::to_string(count);
  if (count < 10 * kThousand) return fmt::format("{:.1f}k", static_cast<double>(count) / 1e3);
  if (count < kThousand * kThousand) return fmt::format("{}k", count / kThousand);
  return fmt::format("{:.1f}M", static_cast<double>(count) / 1e6);
}

}  // namespace

std::string elapsed_text(Duration span) {
  const std::int64_t seconds = std::max<std::int64_t>(to_ms(span), 0) / 1000;
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{}:{:02}", minutes, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, seconds % 60);
}

void LiveLine::state_is(const std::string& run, const workflow::RunState& state, Instant now) {
  if (first_.empty()) first_ = run;
  // What a run below used is counted by the one above it from its end on.
  if (state.has_ended() && run != first_) {
    runs_.erase(run);
    return;
  }
  Run& shown = runs_[run];
  const auto used = state.usage.find("run");
  if (used != state.usage.end()) shown.usage = used->second;
  std::erase_if(shown.open, [&](const auto& entry) { return state.open.count(entry.first) == 0; });
  for (const auto& [id, open] : state.open)
    if (is_shown(open) && shown.open.count(id) == 0)
      shown.open[id] = {printable_line(id), std::string(open.kind()), who_of(open), doing_of(open), now, now};
}

void LiveLine::agent_does(const std::string& run, const std::string& member, const agent::Activity& activity,
                          Instant now) {
  const std::string doing = doing_text(activity);
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  for (auto& [id, effect] : found->second.open) {
    if (effect.kind != command::Turn::kKind || effect.who != member) continue;
    if (activity.tokens > 0) effect.tokens[activity.message] = activity.tokens;
    if (doing.empty()) continue;
    effect.doing = doing;
    effect.changed = now;
  }
}

std::size_t LiveLine::count_at_work() const {
  std::size_t count = 0;
  for (const auto& [name, run] : runs_)
    for (const auto& [id, effect] : run.open)
      if (effect.kind != command::Ask::kKind) ++count;
  return count;
}

bool LiveLine::is_at_work() const { return count_at_work() > 0; }

// The one that was heard of last; people are waited for where nothing else goes on.
const LiveLine::Effect* LiveLine::foremost() const {
  const Effect* foremost = nullptr;
  const auto rank = [](const Effect& effect) { return std::pair(effect.kind != command::Ask::kKind, effect.changed); };
  for (const auto& [name, run] : runs_)
    for (const auto& [id, effect] : run.open)
      if (foremost == nullptr || rank(effect) > rank(*foremost)) foremost = &effect;
  return foremost;
}

std::string LiveLine::used_text() const {
  workflow::RunUsage used;
  for (const auto& [name, run] : runs_) {
    used.tokens += run.usage.tokens;
    used.usd += run.usage.usd;
    // Of a turn that goes on only the tokens are known, if anything.
    for (const auto& [id, effect] : run.open)
      for (const auto& [message, tokens] : effect.tokens) used.tokens += tokens;
  }
  if (used.tokens == 0) return {};
  const std::string tokens = short_count(used.tokens) + " tokens";
  return used.usd == 0 ? tokens : fmt::format("{}, {:.2f} USD", tokens, used.usd);
}

std::string LiveLine::text(std::size_t columns, Instant now) const {
  const Effect* shown = foremost();
  if (shown == nullptr) return {};
  const std::string elapsed = elapsed_text(now - shown->since);
  if (shown->kind == command::Ask::kKind)
    return cut_to_columns(fmt::format("{} waits for {}  {}", shown->id, shown->who, elapsed), columns);
  const std::string before = shown->who.empty() ? fmt::format("{}  {}", shown->id, elapsed)
                                                : fmt::format("{} {}  {}", shown->id, shown->who, elapsed);
  std::string after;
  if (const std::size_t others = count_at_work() - 1; others > 0) after += fmt::format("  (+{} at work)", others);
  if (const std::string used = used_text(); !used.empty()) after += "  " + used;
  constexpr std::size_t kDoingLeast = 12;
  const std::size_t taken = columns_of(before) + columns_of(after) + 2;
  // Where there is no room for both, what is done now is worth more than what was used.
  if (taken + kDoingLeast > columns) return cut_to_columns(fmt::format("{}  {}", before, shown->doing), columns);
  return fmt::format("{}  {}{}", before, cut_to_columns(shown->doing, columns - taken), after);
}

}  // namespace teamster::cli
