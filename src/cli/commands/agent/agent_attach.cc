#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/transcript.h"
#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/transcripts.h"
#include "env/files.h"
#include "env/loop.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_agent_attach(Context& context, const Arguments& arguments) {
  const hub::Home home = TRY(context.home());
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  const std::string member = arguments.value("member");
  const std::string directory = home.member_directory(team, member);
  const env::World world = context.outside().world();
  // The team of a run is gone with it; what its members did is kept.
  const auto found = presence_of(context, team, member);
  const std::string kept = latest_kept_transcript(context, home, team, member);
  if (!found && kept.empty()) return fail(found.error());
  const Presence presence = found ? *found : Presence{};
  if (!presence.record && kept.empty())
    return fail(Code::not_found, fmt::format("member {} of team {} has never been run", member, team),
                fmt::format("Start it: `teamster agent start --team {} --member {}`", team, member));
  const std::string own = presence.record ? presence.record->transcript : kept;
  const std::string file = own.empty() ? agent::Transcript::file_in(directory) : own;
  TranscriptFollower follower(context, file);
  TRY_VOID(follower.show(static_cast<std::size_t>(arguments.number("lines"))));
  if (arguments.has("no-follow") || !presence.host_lives) return 0;
  bool changed = false;
  bool stopped = false;
  const auto watch = TRY(world.files.watch(file.substr(0, file.rfind('/')), [&] { changed = true; }));
  const auto interrupt = context.outside().watch_signal(SIGINT, [&] { stopped = true; });
  Result<void> outcome;
  world.loop.run_until([&] {
    if (!std::exchange(changed, false)) return stopped;
    outcome = follower.show(SIZE_MAX);
    const auto now = presence_of(context, team, member);
    return stopped || !outcome || context.output_is_broken() || !now || !now->host_lives;
  });
  if (!outcome) return fail(outcome.error());
  return 0;
}

}  // namespace

Command agent_attach() {
  return {
      .path = "agent attach",
      .topic = "Agents",
      .summary = "Watch what an agent says and does",
      .description =
          "Shows the end of its transcript and goes on live until the agent ends or Ctrl-C, which leaves the agent "
          "running. Of a member whose run has ended, what is kept with the run. With --json each entry is one line.",
      .hub = HubUse::reads,
      .flags = {team_flag(),
                named_member_flag("The member"),
                {.name = "lines",
                 .value = "N",
                 .type = ValueType::count,
                 .help = "How much of what was before",
                 .fallback = "50"},
                {.name = "no-follow", .help = "Show what there is and end"}},
      .examples = {{"teamster agent attach --team demo --member builder", "Look over its shoulder"}},
      .run = run_agent_attach,
  };
}

}  // namespace teamster::cli::commands
