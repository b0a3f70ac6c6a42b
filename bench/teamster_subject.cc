#include "bench/teamster_subject.h"

#include <unistd.h>

#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/hub_connection.h"

namespace teamster::bench {
namespace {

constexpr const char* kMessageTeam = "mail";
// Filling a larger inbox takes too long to do it for each cell: it is kept, and grows a little.
constexpr std::uint64_t kKeptInboxMin = 50'000;
constexpr std::size_t kInFlightMax = 1000;

// `count` requests, many in flight. The number in each answer is given to `take`.
Result<void> call_many(HubConnection& connection, std::uint64_t count, const hub::Request& request,
                       const std::function<void(const Json&)>& take) {
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::optional<Error> error;
  while (answered < count && !error) {
    for (; sent < count && sent - answered < kInFlightMax; ++sent)
      connection.client().call(request, [&](Result<Json> answer) {
        ++answered;
        answer ? take(*answer) : void(error = answer.error());
      });
    const std::uint64_t low = sent == count ? count : sent - kInFlightMax / 2;
    connection.loop().run_until([&] { return answered >= low || error.has_value(); });
  }
  // Callbacks point into this frame: none may be left.
  connection.loop().run_until([&] { return answered == sent; });
  if (error) return fail(*error);
  return {};
}

Prepare as_member(const hub::Home& home, std::string team, std::string name, hub::Request request,
                  std::function<std::optional<std::int64_t>(const Json&)> number) {
  return [=](int worker) -> Result<Operation> {
    const auto access = hub::Access::member(home.token_file(team, fmt::format("{}-{}", name, worker)));
    auto connection = std::make_shared<HubConnection>(home, access);
    // Says hello and is answered before the start signal.
    TRY_VOID(connection->call("task.list", {{"limit", 1}}));
    return Operation([=]() -> Result<std::optional<std::int64_t>> {
      return number(TRY(connection->client().call_and_wait(request)));
    });
  };
}

std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("{}-{}", name, i));
  return names;
}

}  // namespace

Result<std::unique_ptr<TeamsterSubject>> TeamsterSubject::create(const Options& options) {
  std::unique_ptr<TeamsterSubject> subject(new TeamsterSubject(options));
  TRY_VOID(subject->create_team(kMessageTeam, numbered("sender", options.senders_max)));
  return subject;
}

std::vector<std::string> TeamsterSubject::environment() const {
  std::vector<std::string> environment = {"TEAMSTER_HOME=" + home_.path(), "TEAMSTER_HUB_IDLE_EXIT=10m"};
  for (const char* name : {"PATH", "HOME", "LANG"})
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

Result<void> TeamsterSubject::ensure_hub() {
  if (hub_.is_running()) return {};
  hub_ = TRY(ChildProcess::run({options_.binary, "hub"}, environment()));
  const std::int64_t give_up = monotonic_ns() + 10'000'000'000;
  while (monotonic_ns() < give_up && hub_.is_running()) {
    env::real::World world;
    if (world.view().network.connect(home_.socket())) return {};
    ::usleep(1000);
  }
  return fail(Code::unavailable, fmt::format("{} hub does not serve {}", options_.binary, home_.path()));
}

Result<void> TeamsterSubject::create_team(const std::string& team, const std::vector<std::string>& members) {
  TRY_VOID(ensure_hub());
  HubConnection connection(home_, hub::Access::operator_of_home());
  TRY_VOID(connection.call("team.create", {{"team", team}, {"members", members}}));
  return {};
}

Result<void> TeamsterSubject::fill_inbox(HubConnection& connection, std::uint64_t messages) {
  const hub::Request request{
      .op = "message.send",
      .args = {{"team", kMessageTeam}, {"from", "sender-0"}, {"to", inbox_}, {"body", message_body()}},
      .wait = {},
      .key = {}};
  return call_many(connection, messages, request, [&](const Json& answer) {
    journal_cursor_ = std::max(journal_cursor_, answer.at("id").get<std::int64_t>());
  });
}

Result<void> TeamsterSubject::prepare_inbox(std::uint64_t messages) {
  TRY_VOID(ensure_hub());
  HubConnection connection(home_, hub::Access::operator_of_home());
  if (const auto kept = kept_inboxes_.find(messages); kept != kept_inboxes_.end()) {
    inbox_ = kept->second;
    return fill_inbox(connection, 1);  // for the cursor
  }
  inbox_ = fmt::format("inbox-{}", ++inboxes_);
  TRY_VOID(connection.call("team.join", {{"team", kMessageTeam}, {"member", inbox_}}));
  if (messages >= kKeptInboxMin) kept_inboxes_[messages] = inbox_;
  return fill_inbox(connection, messages);
}

Prepare TeamsterSubject::sender() {
  return as_member(home_, kMessageTeam, "sender",
                   {.op = "message.send", .args = {{"to", inbox_}, {"body", message_body()}}, .wait = {}, .key = {}},
                   [](const Json& answer) { return std::optional(answer.at("id").get<std::int64_t>()); });
}

Result<Faults> TeamsterSubject::inspect_messages(const Measured& measured) {
  TRY_VOID(ensure_hub());
  HubConnection connection(home_, hub::Access::operator_of_home());
  std::unordered_set<std::int64_t> there;
  for (;;) {
    const Json page = TRY(connection.call("journal.read", {{"after", journal_cursor_}}));
    if (page.at("events").empty()) break;
    for (const Json& event : page.at("events"))
      if (event.at("kind") == "message.sent") there.insert(event.at("seq").get<std::int64_t>());
    journal_cursor_ = page.at("last").get<std::int64_t>();
  }
  Faults faults;
  for (const auto& numbers : measured.numbers)
    for (const std::int64_t number : numbers) faults.lost += there.contains(number) ? 0 : 1;
  return faults;
}

Result<void> TeamsterSubject::prepare_tasks(std::uint64_t tasks) {
  claim_team_ = fmt::format("claims-{}", ++claim_teams_);
  TRY_VOID(create_team(claim_team_, numbered("claimer", options_.claimers_max)));
  HubConnection connection(home_, hub::Access::operator_of_home());
  const hub::Request request{
      .op = "task.create", .args = {{"team", claim_team_}, {"subject", "a task"}}, .wait = {}, .key = {}};
  return call_many(connection, tasks, request, [](const Json&) {});
}

Prepare TeamsterSubject::claimer() {
  return as_member(home_, claim_team_, "claimer", {.op = "task.claim", .args = Json::object(), .wait = {}, .key = {}},
                   [](const Json& answer) -> std::optional<std::int64_t> {
                     const Json& task = answer.at("task");
                     if (task.is_null()) return std::nullopt;
                     return task.at("id").get<std::int64_t>();
                   });
}

Result<Faults> TeamsterSubject::inspect_claims(const Measured& measured) {
  peak_memory();
  hub_.kill();
  TRY_VOID(ensure_hub());
  HubConnection connection(home_, hub::Access::operator_of_home());
  std::unordered_map<std::int64_t, std::string> owners;
  Json after = 0;
  while (!after.is_null()) {
    const Json page =
        TRY(connection.call("task.list", {{"team", claim_team_}, {"status", "in_progress"}, {"after", after}}));
    for (const Json& task : page.at("tasks"))
      owners[task.at("id").get<std::int64_t>()] = task.at("owner").get<std::string>();
    after = page.at("next");
  }
  Faults faults{.lost = 0, .double_claimed = count_double(measured)};
  for (std::size_t worker = 0; worker < measured.numbers.size(); ++worker)
    for (const std::int64_t number : measured.numbers[worker])
      faults.lost += owners[number] == fmt::format("claimer-{}", worker) ? 0 : 1;
  return faults;
}

std::uint64_t TeamsterSubject::peak_memory() {
  peak_memory_ = std::max(peak_memory_, hub_.memory().peak_bytes);
  return peak_memory_;
}

}  // namespace teamster::bench
