#include "cli/commands/run/run_closing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/commands/run/run_taking_up.h"
#include "env/processes.h"
#include "keeper/kept_processes.h"
#include "workflow/core/next.h"

namespace teamster::cli {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunEvent;
using workflow::RunRecord;

class Closing {
 public:
  Closing(Context& context, std::string run, std::string by) : context_(context), by_(std::move(by)) {
    // For the report; without the workflow's files there is still an end.
    if (auto options = read_run(context, run)) pinned_ = std::move(options->pinned);
    pinned_.run = std::move(run);
  }

  Result<void> take_lease() {
    const auto self = context_.outside().world().processes.self();
    const Json holder = {{"pid", self.pid}, {"start", self.start_ticks}, {"boot", self.boot_id}};
    const Json leased = TRY(context_.write("run.lease", {{"run", pinned_.run}, {"holder", holder}}, step("lease")));
    lease_ = number_in(leased, "lease");
    return {};
  }

  // Under the lease nobody else writes, so this is where the run is.
  Result<void> read_journal() {
    TRY_VOID(engine::read_to_end(reading_, pages_of_run(context_, pinned_.run)));
    state_ = reading_.state();
    n_ = reading_.last_n();
    return {};
  }

  Result<void> cancel() {
    if (!state_.ending.empty()) return {};
    return append(workflow::event_of(event::CancelAsked{{.by = by_, .how = "terminal"}}));
  }

  // Does what is open: sub-runs and teams go, then the run ends.
  Result<void> finish() {
    while (!state_.has_ended()) {
      if (state_.open.empty() || state_.open.begin()->second.is<command::End>()) {
        TRY_VOID(append(workflow::event_of(event::Ended{state_.ending, state_.ending_reason})));
        continue;
      }
      const workflow::RunCommand open = state_.open.begin()->second;
      if (const auto end = open.as<command::EndSubRun>()) {
        TRY_VOID(close_sub_run(fmt::format("{}/{}", pinned_.run, end->of)));
        TRY_VOID(append(event_about(open, event::Done{.answer = Json::object()})));
        continue;
      }
      const std::string team = open.get<command::EndTeam>().team;
      TRY_VOID(delete_team(team));
      TRY_VOID(append(event_about(open, event::TeamGone{team})));
    }
    return {};
  }

  const std::string& status() const { return state_.status; }

 private:
  // Its engine has died with ours, or is about to.
  Result<void> close_sub_run(const std::string& parent) {
    const auto sub_run = TRY(find_sub_run(context_, parent));
    if (!sub_run) return {};
    const auto closed = close_run(context_, TRY(view_run(context_, *sub_run)), by_);
    if (!closed) return fail(closed.error());
    return {};
  }

  Result<void> delete_team(const std::string& team) {
    const auto deleted = context_.write("team.delete", {{"team", team}, {"force", true}}, step("delete"));
    // One that is not there any more is as good.
    if (deleted || !context_.read("team.status", {{"team", team}})) return {};
    return fail(deleted.error());
  }

  Result<void> append(RunEvent heard) {
    RunRecord record{std::move(heard), {}};
    record.commands = workflow::next(pinned_, state_, record.event);
    Json args = {{"run", pinned_.run}, {"lease", lease_}, {"after", n_}};
    args["records"] = Json::array();
    args["records"].push_back(journal_entry(record));
    n_ = number_in(TRY(context_.write("run.append", std::move(args), step("append"))), "n");
    workflow::apply(state_, record);
    return {};
  }

  // The user's key belongs to one request.
  WriteOptions step(const char* what) { return {.step = fmt::format("{}{}", what, ++steps_), .wait = {}}; }

  Context& context_;
  const std::string by_;
  workflow::Pinned pinned_;
  engine::RunReading reading_;
  workflow::RunState state_;
  std::int64_t lease_ = 0;
  std::int64_t n_ = 0;
  int steps_ = 0;
};

}  // namespace

Result<std::string> close_run(Context& context, const RunView& view, const std::string& by) {
  Closing closing(context, view.run(), by);
  TRY_VOID(closing.take_lease());
  TRY_VOID(closing.read_journal());
  // Of an engine that died with its keeper something may be left; where no keepers are used there is none.
  if (context.outside().kept_world) keeper::end_leftovers(context.outside().world().processes);
  TRY_VOID(closing.cancel());
  TRY_VOID(closing.finish());
  return closing.status();
}

}  // namespace teamster::cli
