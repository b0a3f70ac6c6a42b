#include <csignal>
#include <deque>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/transcript.h"
#include "cli/commands/agent/agent_presence.h"
#include "cli/text/agent_text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "env/files.h"
#include "env/loop.h"

namespace teamster::cli::commands {
namespace {

constexpr std::size_t kTranscriptMaxBytes = 1024UL * 1024 * 1024;

// Follows the file by its size: it only grows.
class Follower {
 public:
  Follower(Context& context, std::string path) : context_(context), path_(std::move(path)) {}

  // All complete lines that are new, at most the last `keep` of them.
  Result<void> show(std::size_t keep) {
    const auto text = context_.outside().world().files.read(path_, kTranscriptMaxBytes);
    if (!text) return text.error().code == Code::not_found ? Result<void>() : fail(text.error());
    std::deque<std::string_view> lines;
    const std::string_view fresh = std::string_view(*text).substr(std::min(shown_, text->size()));
    std::size_t at = 0;
    for (std::size_t end = 0; (end = fresh.find('\n', at)) != fresh.npos; at = end + 1) {
      lines.push_back(fresh.substr(at, end - at));
      if (lines.size() > keep) lines.pop_front();
    }
    shown_ += at;
    for (const auto line : lines) print(line);
    context_.outside().out.flush();
    return {};
  }

 private:
  void print(std::string_view line) {
    const auto entry = parse_json(line);
    if (!entry) return;
    if (context_.wants_json()) return context_.print_json(*entry);
    const std::string text = transcript_text(*entry);
    if (text.empty()) return;
    context_.print(text.ends_with('\n') ? text : text + "\n");
  }

  Context& context_;
  const std::string path_;
  std::size_t shown_ = 0;
};

Result<int> run_agent_attach(Context& context, const Arguments& arguments) {
  const hub::Home home = TRY(context.home());
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  const std::string member = arguments.value("member");
  const std::string directory = home.member_directory(team, member);
  const env::World world = context.outside().world();
  const auto presence = TRY(presence_of(context, team, member));
  if (!presence.record)
    return fail(Code::not_found, fmt::format("member {} of team {} has never been run", member, team),
                fmt::format("Start it: `teamster agent start --team {} --member {}`", team, member));
  Follower follower(context, agent::Transcript::file_in(directory));
  TRY_VOID(follower.show(static_cast<std::size_t>(arguments.number("lines"))));
  if (arguments.has("no-follow") || !presence.host_lives) return 0;
  bool changed = false;
  bool stopped = false;
  const auto watch = TRY(world.files.watch(directory, [&] { changed = true; }));
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
          "running. With --json each entry is one line.",
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
