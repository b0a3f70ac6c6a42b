#include "cli/commands/run/run_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/exit_code.h"
#include "cli/text/pages.h"
#include "engine/snapshot.h"

namespace teamster::cli {
namespace {

namespace status = workflow::status;

// Effects that go on without a person.
bool works_by_itself(const workflow::RunCommand& open) { return !open.is<workflow::command::Ask>(); }

// Whose answer to the question is in the journal and waits for the engine. What was told before it was asked
// is no answer to it.
std::string told_by(const engine::RunReading& reading, const std::string& question) {
  const auto asked = reading.attempts().find(question);
  const std::int64_t asked_n = asked == reading.attempts().end() ? 0 : asked->second.n;
  for (const auto& told : reading.unheard()) {
    const auto* answer = std::get_if<workflow::told::Reply>(&told.body);
    if (answer != nullptr && told.n > asked_n && answer->question == question)
      return answer->by.empty() ? "somebody" : answer->by;
  }
  return {};
}

}  // namespace

std::string RunView::run() const { return raw_text_in(row, "run"); }

bool RunView::has_ended() const { return row.contains("ended") || reading.state().has_ended(); }

bool RunView::is_held() const { return flag_in(object_in(row, "holder"), "alive"); }

std::string RunView::status() const {
  const workflow::RunState& state = reading.state();
  if (has_ended()) return state.has_ended() ? state.status : raw_text_in(row, "status");
  if (!is_held()) return "interrupted";
  if (!state.ending.empty()) return "ending";
  const bool is_busy =
      std::any_of(state.open.begin(), state.open.end(), [](const auto& open) { return works_by_itself(open.second); });
  return !is_busy && !state.open.empty() ? "waiting" : status::kRunning;
}

std::vector<RunQuestion> RunView::questions() const {
  std::vector<RunQuestion> questions;
  if (has_ended()) return questions;
  for (const auto& [id, open] : reading.state().open) {
    const auto asks = open.as<workflow::command::Ask>();
    if (!asks) continue;
    const auto attempt = reading.attempts().find(id);
    questions.push_back({run(), open.step, open.attempt, *asks,
                         attempt == reading.attempts().end() ? std::nullopt : std::optional(attempt->second.since),
                         is_held(), told_by(reading, id), reading.state().people});
  }
  return questions;
}

std::string RunView::next() const {
  const std::string is = status();
  const auto asked = questions();
  const std::string answer =
      asked.empty() ? ""
                    : fmt::format("teamster {} {}", asked.front().is_gate() ? "approve" : "answer", asked.front().id());
  if (is == "interrupted")
    return (answer.empty() || !asked.front().told_by.empty() ? "" : answer + ", then ") +
           fmt::format("teamster resume {}", run());
  if (!answer.empty()) return answer;
  return has_ended() ? fmt::format("teamster report {}", run()) : fmt::format("teamster watch {}", run());
}

int RunView::exit_code() const {
  const std::string is = status();
  if (is == status::kDone) return kExitDone;
  if (has_ended()) return kExitNothing;
  const auto asked = questions();
  const bool needs_a_person = std::any_of(asked.begin(), asked.end(), [](const auto& q) { return q.told_by.empty(); });
  return needs_a_person && is != status::kRunning ? kExitWaiting : kExitDone;
}

engine::ReadPage pages_of_run(const Context& context, const std::string& run) {
  return [&context, run](std::int64_t after) { return context.read("run.events", {{"run", run}, {"after", after}}); };
}

Result<RunView> view_run(const Context& context, const std::string& run) {
  RunView view{TRY(context.read("run.get", {{"run", run}})), {}};
  TRY_VOID(engine::read_to_end(view.reading, pages_of_run(context, run)));
  return view;
}

Result<RunView> view_row(const Context& context, const Json& row) {
  RunView view{row, {}};
  const hub::Home home = TRY(context.home());
  const std::string run = view.run();
  const Json whole = TRY(context.read("run.get", {{"run", run}}));
  // One that cannot be used is as good as none; `replay` says why.
  const engine::SnapshotFile file(context.outside().world().files, home, run,
                                  raw_text_in(object_in(whole, "body"), "digest"));
  const auto snapshot = file.read(number_in(row, "n"));
  if (snapshot && *snapshot) view.reading.begin_with((*snapshot)->state, (*snapshot)->n);
  TRY_VOID(engine::read_to_end(view.reading, pages_of_run(context, run)));
  return view;
}

Result<std::vector<Json>> run_rows(const Context& context, bool all) {
  std::vector<Json> rows;
  Json args = Json::object();
  if (all) args["all"] = true;
  TRY(for_each_item(context, {.op = "run.list", .args = std::move(args), .list = "runs"},
                    [&](const Json& row) { rows.push_back(row); }));
  return rows;
}

Result<std::string> named_or_only_run(const Context& context, const std::string& given) {
  if (!given.empty()) return given;
  const auto rows = TRY(run_rows(context, false));
  if (rows.empty()) return fail(Code::not_found, "no run is under way", "See those that have ended: teamster status");
  if (rows.size() == 1) return raw_text_in(rows.front(), "run");
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(raw_text_in(row, "run"));
  return fail(Code::invalid, fmt::format("{} runs are under way: {}", rows.size(), fmt::join(names, ", ")), "Name one");
}

}  // namespace teamster::cli
