#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/runs.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "engine/replay.h"

namespace teamster::cli::commands {
namespace {

std::string commands_text(const std::vector<workflow::RunCommand>& commands) {
  std::vector<std::string> words;
  for (const auto& command : commands)
    words.push_back(command.step.empty() ? std::string(command.kind())
                                         : fmt::format("{} {}", command.kind(), command.id()));
  return words.empty() ? "nothing" : printable_line(join(words, ", "));
}

// Where the commands are the same, the fields that are not.
std::string difference_text(const engine::Difference& difference) {
  const std::string recorded = commands_text(difference.recorded);
  const std::string today = commands_text(difference.today);
  const std::string head = fmt::format("record {}, {}: ", difference.n, printable_line(difference.kind));
  if (recorded != today) return head + fmt::format("recorded {}; today it would be {}", recorded, today);
  const Json was = workflow::then_of(difference.recorded);
  const Json is = workflow::then_of(difference.today);
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < was.size(); ++i)
    for (const auto& [name, value] : was[i].items())
      if (!is[i].contains(name) || is[i][name] != value) fields.push_back(name);
  return head + fmt::format("{}, but with another {}", recorded, printable_line(join(fields, ", ")));
}

struct Replayed {
  const engine::Replay& replay;
  std::vector<std::string> notes;
};

Json replayed_json(const std::string& run, const Replayed& replayed) {
  const auto& reading = replayed.replay.reading();
  Json differences = Json::array();
  for (const auto& each : replayed.replay.differences())
    differences.push_back({{"n", each.n},
                           {"kind", each.kind},
                           {"recorded", workflow::then_of(each.recorded)},
                           {"today", workflow::then_of(each.today)}});
  Json json = {{"run", run}, {"n", reading.last_n()}, {"decided", replayed.replay.decided()}};
  json["state"] = workflow::to_json(reading.state());
  json["differences"] = std::move(differences);
  const auto snapshot = replayed.replay.snapshot_differences();
  json["snapshot"] = snapshot ? Json{{"same", snapshot->empty()}, {"differs_in", *snapshot}} : Json();
  json["notes"] = replayed.notes;
  return json;
}

void print_replayed(const Context& context, const std::string& run, const Replayed& replayed) {
  const engine::Replay& replay = replayed.replay;
  const workflow::RunState& state = replay.reading().state();
  context.print(fmt::format("{}: {}, {}\n", printable_line(run), counted(replay.reading().last_n(), "record"),
                            state.has_ended() ? state.status : "in phase " + printable_line(state.phase)));
  for (const auto& each : replay.differences()) context.print("  " + difference_text(each) + "\n");
  for (const auto& note : replayed.notes) context.print("  " + printable_line(note) + "\n");
  if (replay.differences().empty() && replay.decided() > 0) context.print("  this program decides the same today\n");
  const auto snapshot = replay.snapshot_differences();
  if (!snapshot) return;
  context.print(snapshot->empty()
                    ? std::string("  the snapshot is the same\n")
                    : fmt::format("  the snapshot differs in {}\n", printable_line(join(*snapshot, ", "))));
}

Result<int> run_replay(Context& context, const Arguments& arguments) {
  const engine::RunService runs = TRY(runs_of(context));
  const std::string run = TRY(runs.meant(arguments.value("RUN")));
  std::vector<std::string> notes;
  std::optional<workflow::Pinned> pinned;
  if (auto read = runs.pinned(run))
    pinned = std::move(read->pinned);
  else
    notes.push_back("nothing is decided again: " + read.error().text());
  auto snapshot = runs.snapshot(run);
  const bool is_broken = !snapshot;
  if (is_broken) notes.push_back(snapshot.error().text());
  engine::Replay replay(std::move(pinned), is_broken ? std::nullopt : *std::move(snapshot));
  TRY_VOID(engine::read_to_end(replay.reading(), runs.pages_of(run)));
  for (const auto& note : replay.reading().notes()) notes.push_back(note);
  const Replayed replayed{replay, std::move(notes)};
  if (context.wants_json())
    context.print_json(replayed_json(run, replayed));
  else
    print_replayed(context, run, replayed);
  const auto differs = replay.snapshot_differences();
  return is_broken || (differs && !differs->empty()) ? kExitNothing : kExitDone;
}

}  // namespace

Command replay() {
  return {
      .path = "replay",
      .topic = "Runs",
      .summary = "Fold a run's journal again and compare",
      .description =
          "Rebuilds the state from the first record. Shows where this program would decide something else today than "
          "what was recorded, which wins, and whether the run's snapshot is that state: if not, the exit code is 1. "
          "With --json the whole state.",
      .hub = HubUse::reads,
      .positionals = {{.name = "RUN", .type = ValueType::run, .help = "Its name"}},
      .examples = {{"teamster replay implement-spec-20261116-1a2b", "Is it what it says it is?"},
                   {"teamster replay implement-spec-20261116-1a2b --json | jq .state.loops", "From its state"}},
      .run = run_replay,
  };
}

}  // namespace teamster::cli::commands
