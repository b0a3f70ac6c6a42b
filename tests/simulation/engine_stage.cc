#include "simulation/engine_stage.h"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/run_reading.h"

namespace teamster::simulation {
namespace {

constexpr const char* kLedger = "/home/user/project/progress/spec-01";
constexpr std::size_t kFileMaxBytes = 1 << 20;

}  // namespace

EngineStage::EngineStage(std::uint64_t seed, const Scene& scene, const Troubles& troubles)
    : scene_(scene),
      world_(seed),
      hubs_(world_),
      agents_(world_),
      tools_(world_, hubs_.home()),
      shell_(world_, scene.commands),
      person_(world_.start("person")) {
  world_.files().set_synced(scene.is_of_agents);
  auto& host = world_.start("setup");
  scene.write_project(host.view().files);
  troubles_ = scene.write_scripts(host.view().files, troubles, world_.random());
  world_.kill(host);
}

// A person thinks for a moment, and says it again to the next engine when it did not arrive.
void EngineStage::put_to_person(const workflow::RunCommand& question, bool again) {
  const std::string id = question.id();
  int& times = asked_[id];
  if (!again) ++times;
  const auto says = scene_.people.find(question.step);
  if (says == scene_.people.end() || is_answered_[id]) return;
  if (!person_client_)
    person_client_ = std::make_unique<hub::Client>(person_.view(), hubs_.home(), hub::Access::operator_of_home());
  Json body = says->second;
  body["question"] = id;
  constexpr std::uint64_t kLongestThoughtUs = 60'000;
  const std::chrono::microseconds thought(world_.random().next() % kLongestThoughtUs);
  thinking_.push_back(person_.view().loop.after(thought, [this, id, body] {
    if (is_answered_[id]) return;
    person_client_->call(
        {"run.tell", {{"run", scene_.pinned.run}, {"what", "answer"}, {"body", body}}},
        [this, id](const Result<Json>& told) { is_answered_[id] = is_answered_[id] || told.has_value(); });
  }));
}

std::unique_ptr<EngineProcess> EngineStage::start_engine(OnPoint on_point) {
  EngineProcess::Options options{hubs_.home(), scene_.pinned.run, scene_.pinned.workflow.name, scene_.words,
                                 std::move(on_point)};
  options.on_question = [this](const workflow::RunCommand& question, bool again) { put_to_person(question, again); };
  return std::make_unique<EngineProcess>(world_, std::move(options), gits_, witness_);
}

Result<Json> EngineStage::ask(const std::string& op, Json args) {
  auto& host = world_.start("operator");
  Result<Json> answer = [&] {
    hub::Client client(host.view(), hubs_.home(), hub::Access::operator_of_home());
    return client.call_and_wait({op, std::move(args), {}, {}});
  }();
  if (host.is_alive()) world_.kill(host);
  return answer;
}

std::vector<Json> EngineStage::journal() {
  std::vector<Json> records;
  while (true) {
    const std::int64_t after = records.empty() ? 0 : records.back().at("n").get<std::int64_t>();
    const auto page = ask("run.events", {{"run", scene_.pinned.run}, {"after", after}});
    if (!page) {
      witness_.accuse("the journal cannot be read: " + page.error().text());
      return records;
    }
    for (const auto& record : page->at("events")) records.push_back(record);
    if (!page->value("more", false)) return records;
  }
}

std::optional<workflow::RunState> EngineStage::ended_state() {
  const auto run = ask("run.get", {{"run", scene_.pinned.run}});
  if (!run || !run->contains("ended")) return std::nullopt;
  engine::RunReading reading;
  for (const auto& event : journal()) reading.add(event);
  return reading.state();
}

std::map<std::string, std::string> EngineStage::ledger() {
  std::map<std::string, std::string> ledger;
  auto& host = world_.start("reader");
  const auto names = host.view().files.list(kLedger);
  if (names)
    for (const auto& name : *names)
      ledger[name] = host.view().files.read(std::string(kLedger) + "/" + name, kFileMaxBytes).value_or("(unreadable)");
  world_.kill(host);
  return ledger;
}

std::string EngineStage::text_of(const std::string& path) {
  auto& host = world_.start("reader");
  std::string text = host.view().files.read(std::string(kProject) + "/" + path, kFileMaxBytes).value_or("");
  world_.kill(host);
  return text;
}

std::vector<std::string> EngineStage::commits() {
  auto& host = world_.start("reader");
  std::vector<std::string> commits;
  {
    const SimulatedRepository repository(host.view().files, kProject);
    for (const auto& commit : repository.log()) {
      std::string line = commit.message;
      for (const auto& [name, hash] : repository.tags())
        if (hash == commit.hash) line += fmt::format(" ({})", name);
      commits.push_back(std::move(line));
    }
  }
  world_.kill(host);
  return commits;
}

void EngineStage::check(const workflow::RunState& state) {
  witness_.check(scene_.pinned, journal(), state);
  const auto checked = ask("store.check", {{"rebuild", true}});
  if (!checked || !checked->value("ok", false)) witness_.accuse("the projections of the store differ from its journal");
  const auto teams = ask("team.list", Json::object());
  if (!teams || !teams->at("teams").empty()) witness_.accuse("a team is there after the end");
  for (const auto& place : agents_.shared_places()) witness_.accuse(fmt::format("two agents at once had {}", place));
  // Whatever is deaf has been killed by then.
  constexpr Duration kFarewell = std::chrono::seconds(10);
  world_.run_for(kFarewell);
  if (!agents_.living().empty()) witness_.accuse("an agent is there after the end");
  for (const auto& command : shell_.unknown()) witness_.accuse(fmt::format("the shell does not know {}", command));
  check_project(state);
}

void EngineStage::check_project(const workflow::RunState& state) {
  auto& host = world_.start("reader");
  {
    const SimulatedRepository repository(host.view().files, kProject);
    witness_.check_commits(repository.log());
    if (scene_.ends_committed && state.status == workflow::status::kDone && !repository.changed().empty())
      witness_.accuse(fmt::format("{} is not committed", repository.changed().front()));
  }
  world_.kill(host);
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

}  // namespace teamster::simulation
