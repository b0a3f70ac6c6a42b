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
namespace told = workflow::told;
using workflow::RunCommand;
using workflow::RunEvent;

constexpr std::size_t kStepColumns = 14;
constexpr std::size_t kWhoColumns = 10;

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

// Who it is for, or who does it.
std::string who_is_meant(const RunCommand& command) {
  if (const auto ask = command.as<command::Ask>()) return printable_line(ask->to);
  const auto turn = command.as<command::Turn>();
  return turn ? printable_line(turn->member) : std::string();
}

// The member that it is about, or the person who answered.
std::string who_is_heard(const RunEvent& heard) {
  if (const auto failed = heard.as<event::Failed>()) return printable_line(failed->member);
  if (const auto lost = heard.as<event::MemberLost>()) return printable_line(lost->member);
  const auto done = heard.as<event::Done>();
  if (!done) return {};
  const std::string by = text_in(done->answer, "by");
  return by.empty() ? printable_line(done->member) : by;
}

// What is in nobody's line of a run that goes on.
std::string rarely_told(const RunEvent& heard) {
  if (const auto started = heard.as<event::Started>()) {
    std::vector<std::string> words;
    if (started->args.is_object())
      for (const auto& [name, value] : started->args.items())
        words.push_back(fmt::format("{} {}", printable_line(name), text_of(value)));
    return words.empty() ? "started" : "started with " + join(words, ", ");
  }
  if (const auto due = heard.as<event::Due>()) return printable_line(due->what) + " is due";
  if (const auto lost = heard.as<event::MemberLost>())
    return fmt::format("lost {}: {}", printable_line(lost->member), printable_line(lost->why));
  if (const auto strayed = heard.as<event::MemberStrayed>())
    return fmt::format("{} changed what it may not", printable_line(strayed->member));
  if (heard.is<event::OutcomeUnknown>()) return "nobody knows whether it happened";
  if (const auto declined = heard.as<event::Declined>()) return "declined: " + printable_line(declined->why);
  if (const auto decided = heard.as<event::Decided>()) return printable_line(decided->decision);
  return printable_line(heard.kind());
}

// What follows and has no line in a run that goes on.
std::string quietly_decided(const RunCommand& decided) {
  const std::string id = printable_line(decided.id());
  if (const auto ask = decided.as<command::Ask>()) return fmt::format("{} asks {}", id, printable_line(ask->to));
  if (const auto made = decided.as<command::MakeTeam>())
    return fmt::format("team {} is made", printable_line(made->team));
  if (const auto ended = decided.as<command::EndTeam>())
    return fmt::format("team {} is ended", printable_line(ended->team));
  if (const auto sub_run = decided.as<command::SubRun>())
    return fmt::format("{} runs {}", id, printable_line(sub_run->workflow));
  if (decided.is<command::Commit>()) return id + " commits";
  if (const auto end = decided.as<command::End>()) return "it ends " + printable_line(end->status);
  return {};
}

std::string reply_text(const told::Reply& reply) {
  if (!reply.approved) return text_of(reply.answer);
  return *reply.approved ? "approved" : "rejected: " + text_of(reply.feedback);
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
    said.who = who_is_heard(heard);
    if (const auto found = begun_.find(id); found != begun_.end()) {
      if (said.who.empty()) said.who = found->second.who;
      const std::int64_t ms = std::max<std::int64_t>(at.unix_ms - found->second.at.unix_ms, 0);
      took = describe_duration(std::chrono::milliseconds(ms));
    }
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

RunLog::Said RunLog::of_others(const workflow::ToldBody& body) {
  Said said;
  std::string words;
  if (const auto reply = std::get_if<told::Reply>(&body)) {
    said = {printable_line(reply->question), printable_line(reply->by)};
    words = reply_text(*reply);
  } else if (const auto decide = std::get_if<told::Decide>(&body)) {
    said = {printable_line(decide->step), printable_line(decide->by)};
    words = printable_line(decide->decision);
  } else if (const auto cancel = std::get_if<told::Cancel>(&body)) {
    said.who = printable_line(cancel->by);
  }
  said.what = "says " + (words.empty() ? printable_line(workflow::kind_of(body)) : words);
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
    said = of_others(workflow::read_told(body));
  else if (auto record = workflow::read_record(what, what == kind::kRunStarted ? field_in(body, "body") : body))
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
