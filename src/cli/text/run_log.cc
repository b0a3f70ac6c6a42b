#include "cli/text/run_log.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "cli/text/run_lines.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunCommand;
using workflow::RunEvent;

constexpr std::size_t kStepColumns = 14;
constexpr std::size_t kWhoColumns = 10;

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

// Who it is for, or who does it.
std::string who_is_meant(const RunCommand& command) {
  return text_in(command.body, command.kind == command::kAsk ? "to" : "member");
}

// What is in nobody's line of a run that goes on.
std::string rarely_told(const RunEvent& heard) {
  const Json& body = heard.body;
  if (heard.kind == event::kStarted) {
    std::vector<std::string> words;
    for (const auto& [name, value] : object_in(body, "args").items())
      words.push_back(fmt::format("{} {}", printable_line(name), text_in(object_in(body, "args"), name)));
    return words.empty() ? "started" : "started with " + join(words, ", ");
  }
  if (heard.kind == event::kDue) return text_in(body, "what") + " is due";
  if (heard.kind == event::kMemberLost)
    return fmt::format("lost {}: {}", text_in(body, "member"), text_in(body, "why"));
  if (heard.kind == event::kUnknown) return "nobody knows whether it happened";
  if (heard.kind == event::kDecided) return text_in(body, "decision");
  return printable_line(heard.kind);
}

// What follows and has no line in a run that goes on.
std::string quietly_decided(const RunCommand& decided) {
  const std::string id = printable_line(decided.id());
  if (decided.kind == command::kAsk) return fmt::format("{} asks {}", id, text_in(decided.body, "to"));
  if (decided.kind == command::kMakeTeam) return fmt::format("team {} is made", text_in(decided.body, "team"));
  if (decided.kind == command::kEndTeam) return fmt::format("team {} is ended", text_in(decided.body, "team"));
  if (decided.kind == command::kSubRun) return fmt::format("{} runs {}", id, text_in(decided.body, "workflow"));
  if (decided.kind == command::kCommit) return id + " commits";
  if (decided.kind == command::kEnd) return "it ends " + text_in(decided.body, "status");
  return {};
}

std::string told_text(const Json& body) {
  const Json& said = object_in(body, "body");
  std::string words = text_in(said, "answer");
  if (said.contains("approved"))
    words = flag_in(said, "approved") ? "approved" : "rejected: " + text_in(said, "feedback");
  if (said.contains("decision")) words = text_in(said, "decision");
  return words.empty() ? "says " + text_in(body, "what") : "says " + words;
}

}  // namespace

std::string RunLog::followed_by(const workflow::RunRecord& record) const {
  std::vector<std::string> parts;
  for (const auto& each : record.commands) {
    const std::string loud = decided_text(each, palette_);
    const std::string text = loud.empty() ? quietly_decided(each) : loud;
    if (!text.empty()) parts.push_back(text);
  }
  return join(parts, "; ");
}

RunLog::Said RunLog::of_engine(const workflow::RunRecord& record, WallTime at) {
  const RunEvent& heard = record.event;
  Said said;
  std::string took;
  if (!heard.step.empty()) {
    const std::string id = workflow::effect_id(heard.step, heard.attempt);
    said.step = printable_line(id);
    said.who = text_in(heard.body, "member");
    if (const auto found = begun_.find(id); found != begun_.end()) {
      if (said.who.empty()) said.who = found->second.who;
      const std::int64_t ms = std::max<std::int64_t>(at.unix_ms - found->second.at.unix_ms, 0);
      took = describe_duration(std::chrono::milliseconds(ms));
    }
    if (const std::string by = text_in(object_in(heard.body, "answer"), "by"); !by.empty()) said.who = by;
  }
  const std::string happened = happened_text(heard, palette_, took);
  said.what = happened.empty() ? rarely_told(heard) : happened;
  if (const std::string follows = followed_by(record); !follows.empty()) {
    if (said.what.ends_with('.')) said.what.pop_back();
    said.what += "; " + follows;
  }
  for (const auto& each : record.commands)
    if (each.has_effect()) begun_[each.id()] = {at, who_is_meant(each)};
  return said;
}

void RunLog::pass_over(const Json& given) {
  const std::string day = day_;
  (void)line(given);
  day_ = day;
}

std::string RunLog::line(const Json& given) {
  const std::string what = raw_text_in(given, "kind");
  const Json& body = object_in(given, "body");
  const WallTime at = parse_iso8601(raw_text_in(given, "at")).value_or(WallTime());
  Said said;
  if (what == kind::kRunLeased)
    said.what =
        fmt::format("process {} drives it: {}", number_in(object_in(body, "holder"), "pid"), text_in(body, "why"));
  else if (what == kind::kRunRenewed)
    said.what = "is driven on";
  else if (what == kind::kRunReleased)
    said.what = "nobody drives it now";
  else if (what == kind::kRunTold)
    said = {text_in(object_in(body, "body"), "question"), text_in(object_in(body, "body"), "by"), told_text(body)};
  else if (auto record = workflow::read_record(what, what == event::kStarted ? field_in(body, "body") : body))
    said = of_engine(*record, at);
  else
    said.what = printable_line(what);
  const std::string time = raw_text_in(given, "at");
  std::string heading;
  if (const std::string day = time.substr(0, 10); time.size() >= 19 && day != day_) {
    day_ = day;
    heading = printable_line(day) + "\n";
  }
  return heading + fmt::format("{:<5}  {}  {}  {}  {}", number_in(given, "n"),
                               palette_.dim(time.size() >= 19 ? printable_line(time.substr(11, 8)) : "-"),
                               padded(palette_.cyan(said.step.empty() ? "run" : said.step), kStepColumns),
                               padded(said.who.empty() ? "-" : said.who, kWhoColumns), said.what);
}

}  // namespace teamster::cli
