#include "cli/text/run_lines.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "base/time.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunCommand;
using workflow::RunEvent;

// The one thing of an answer that says how it went.
std::string gist(const Json& answer) {
  if (!answer.is_object()) return {};
  for (const char* field : {"passed", "approved", "all_passed", "verification_passed", "all_clear"})
    if (const auto found = answer.find(field); found != answer.end() && found->is_boolean())
      return fmt::format("{} {}", field, found->get<bool>() ? "yes" : "no");
  const std::string status = raw_text_in(answer, "status");
  if (!status.empty()) return status;
  const std::string tag = raw_text_in(answer, "tag");
  return tag.empty() ? "" : fmt::format("tag {}", tag);
}

std::string of_event(const RunEvent& heard) {
  const std::string id = fmt::format("{}.{}", heard.step, heard.attempt);
  if (const auto done = heard.as<event::Done>()) {
    const Json& answer = done->answer;
    const std::string summary = answer.is_object() ? raw_text_in(answer, "summary") : "";
    const std::string outcome = gist(answer);
    return fmt::format("{} done{}{}{}{}", id, outcome.empty() ? "" : ", ", outcome, summary.empty() ? "" : ": ",
                       summary);
  }
  if (const auto failed = heard.as<event::Failed>())
    return fmt::format("{} failed ({}): {}", id, failed->fault, failed->error);
  if (const auto ready = heard.as<event::TeamReady>()) return fmt::format("team {} is ready", ready->team);
  if (const auto gone = heard.as<event::TeamGone>()) return fmt::format("team {} is gone", gone->team);
  if (const auto asked = heard.as<event::CancelAsked>())
    return fmt::format("cancelled by {}", asked->spoken.by.value_or(""));
  if (const auto ended = heard.as<event::Ended>())
    return fmt::format("{}{}{}", ended->status, ended->reason.empty() ? "" : ": ", ended->reason);
  return {};
}

std::string of_command(const RunCommand& decided) {
  if (const auto turn = decided.as<command::Turn>())
    return fmt::format("{} → {}{}", decided.id(), turn->member, turn->rung.empty() ? "" : " (" + turn->rung + ")");
  if (const auto check = decided.as<command::Check>())
    return fmt::format("{} runs: {}", decided.id(), check->shell.command.substr(0, 60));
  if (const auto note = decided.as<command::Note>()) return fmt::format("accepted: {} still objects", note->phase);
  if (const auto remind = decided.as<command::Remind>())
    return remind->to.empty() ? fmt::format("{} still waits for an answer: teamster inbox", remind->question)
                              : fmt::format("nobody answered {} in time; {} is asked now: teamster inbox",
                                            remind->question, remind->to);
  if (const auto wait = decided.as<command::Wait>())
    return fmt::format("{} waits {} s: {}", decided.id(), wait->ms / 1000, wait->why);
  return {};
}

}  // namespace

std::vector<std::string> lines_of(const engine::Recorded& recorded) {
  std::vector<std::string> lines;
  const std::string time = to_iso8601(recorded.at).substr(11, 8);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{} {}", time, text.substr(0, text.find('\n'))));
  };
  add(of_event(recorded.record.event));
  for (const auto& each : recorded.record.commands) add(of_command(each));
  return lines;
}

std::string taken_up_line(const std::string& run, const workflow::RunState& state) {
  std::vector<std::string> open;
  for (const auto& [id, effect] : state.open) open.push_back(id);
  return fmt::format("run {} goes on{}{}", run, state.phase.empty() ? "" : " in " + state.phase,
                     open.empty() ? "" : ", with " + join(open, ", "));
}

}  // namespace teamster::cli
