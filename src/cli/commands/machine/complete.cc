#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/machine/hub_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/completion.h"
#include "cli/framework/completion_scripts.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "engine/run_service.h"
#include "project/workflow_place.h"
#include "protocol/client/call.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// Somebody waits with a finger on the key.
constexpr Duration kCompletionPatience = std::chrono::seconds(1);
constexpr std::size_t kOfferHelpColumns = 60;

// What is there, as far as it can be found out quickly. A hub is never started for it.
class NamesThere {
 public:
  explicit NamesThere(const Context& context) : context_(context) {}

  std::vector<Offer> of(ValueType type, const std::string& team) {
    if (type == ValueType::workflow) return workflows();
    if (type == ValueType::text || type == ValueType::new_team || !has_hub()) return {};
    if (type == ValueType::team) return teams();
    if (type == ValueType::member) return members(team);
    if (type == ValueType::run) return runs();
    if (type == ValueType::question) return questions(false);
    if (type == ValueType::gate) return questions(true);
    if (type != ValueType::team_or_run) return {};
    auto both = runs();
    for (auto& each : teams()) both.push_back(std::move(each));
    return both;
  }

 private:
  bool has_hub() {
    if (client_) return true;
    const auto home = context_.home();
    const env::World world = context_.outside().world();
    if (!home || !hub_is_running(world, *home)) return false;
    const auto token = context_.outside().variable("TEAMSTER_TOKEN_FILE");
    client_.emplace(world, *home,
                    token && !token->empty() ? hub::Access::member(*token) : hub::Access::operator_of_home(),
                    kCompletionPatience);
    return true;
  }
  engine::HubCall call() {
    return [this](hub::Request request) { return client_->call_and_wait(std::move(request)); };
  }
  Result<engine::RunService> service() {
    const hub::Home home = TRY(context_.home());
    return engine::RunService(
        call(), [this] { return context_.now(); }, context_.outside().world().files, home);
  }

  std::vector<Offer> workflows() const {
    std::vector<Offer> offers;
    const auto found = WorkflowPlaces(context_.outside().world().files, context_.outside().variable).all();
    if (found)
      for (const auto& each : *found) offers.push_back({each.name, each.from});
    return offers;
  }

  std::vector<Offer> teams() {
    std::vector<Offer> offers;
    const auto teams = hub::ask_and_wait(*client_, hub::ListTeams{});
    if (teams)
      for (const auto& each : *teams) offers.push_back({each.team, counted(each.live_members, "member")});
    return offers;
  }

  std::vector<Offer> members(const std::string& team) {
    std::vector<Offer> offers;
    if (team.empty()) return offers;
    const auto status = hub::ask_and_wait(*client_, hub::GetTeamStatus{team});
    if (status)
      for (const auto& member : status->members) offers.push_back({member.name, member.is_live ? "live" : "gone"});
    return offers;
  }

  std::vector<Offer> runs() {
    std::vector<Offer> offers;
    const auto runs = service();
    const auto rows = runs ? runs->list(true) : Result<std::vector<hub::ListedRun>>(fail(runs.error()));
    if (rows)
      for (const auto& row : *rows) offers.push_back({row.run, row.has_ended() ? row.status : "under way"});
    return offers;
  }

  std::vector<Offer> questions(bool gates) {
    std::vector<Offer> offers;
    const auto runs = service();
    const auto asked = runs ? runs->questions() : Result<engine::RunQuestions>(fail(runs.error()));
    if (!asked) return offers;
    for (const auto& question : asked->open)
      if (question.is_gate() == gates) offers.push_back({engine::short_id(*asked, question), question.asks.text});
    return offers;
  }

  const Context& context_;
  std::optional<hub::Client> client_;
};

Result<int> run_complete(Context& context, const Arguments& arguments) {
  NamesThere there(context);
  const Completion completion =
      complete_words(context.registry(), arguments.values("WORD"),
                     [&there](ValueType type, const std::string& team) { return there.of(type, team); });
  if (completion.takes_file) context.print_as_it_is(fmt::format("{}\n", kCompletesFile));
  for (const auto& offer : completion.offers)
    context.print_as_it_is(fmt::format("{}\t{}\n", printable_line(offer.word),
                                       cut_to_columns(printable_line(offer.help), kOfferHelpColumns)));
  return kExitDone;
}

}  // namespace

Command complete() {
  return {
      .path = "complete",
      .topic = "Machine",
      .summary = "Say what may stand at a place of the command line",
      .description = "Called by the scripts of `teamster completion`.",
      .positionals = {{.name = "WORD",
                       .help = "Those after the program's name; the last is being typed",
                       .required = false,
                       .repeatable = true}},
      .examples = {{"teamster complete -- run imp", "Which workflows begin so?"}},
      .run = run_complete,
  };
}

}  // namespace teamster::cli::commands
