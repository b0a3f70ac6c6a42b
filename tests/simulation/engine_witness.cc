#include "simulation/engine_witness.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/replay.h"

namespace teamster::simulation {
namespace {

std::string text_of(const Json& body, const char* name) { return body.value(name, std::string()); }

std::string id_of(const std::string& step, std::int64_t attempt) { return fmt::format("{}.{}", step, attempt); }

bool is_outcome(const workflow::RunEvent& event) {
  return event.is<workflow::event::Done>() || event.is<workflow::event::Failed>() ||
         event.is<workflow::event::TeamReady>() || event.is<workflow::event::TeamGone>();
}

const Json& body_of(const Json& event) {
  return event.at("kind") == "run.started" ? event.at("body").at("body") : event.at("body");
}

}  // namespace

void EngineWitness::acknowledged(int process, const engine::Recorded& recorded) {
  const auto& event = recorded.record.event;
  const auto [there, is_new] =
      acknowledged_.emplace(recorded.n, Acknowledged{process, std::string(event.kind()), event.step, event.attempt});
  if (!is_new)
    accuse(
        fmt::format("record {} was acknowledged to process {} and to {}", recorded.n, there->second.process, process));
  if (is_outcome(event)) settled_.insert(id_of(event.step, event.attempt));
}

void EngineWitness::asked(int process, const std::string& step) {
  if (settled_.count(step) != 0) accuse(fmt::format("{} was asked by process {} after it was settled", step, process));
  if (!asked_[step].insert(process).second) accuse(fmt::format("{} was asked twice by process {}", step, process));
}

std::int64_t EngineWitness::asked_again() const {
  std::int64_t sum = 0;
  for (const auto& [step, processes] : asked_) sum += static_cast<std::int64_t>(processes.size()) - 1;
  return sum;
}

void EngineWitness::check(const workflow::Pinned& pinned, const std::vector<Json>& journal,
                          const workflow::RunState& state) {
  check_acknowledged(journal);
  check_leases(journal);
  check_effects(state, journal);
  check_replay(pinned, journal, state);
}

void EngineWitness::check_acknowledged(const std::vector<Json>& journal) {
  std::int64_t last = 0;
  for (const auto& event : journal) {
    const auto n = event.at("n").get<std::int64_t>();
    if (n != last + 1) accuse(fmt::format("record {} comes after {}", n, last));
    last = n;
    const auto told = acknowledged_.find(n);
    if (told == acknowledged_.end()) continue;
    const Acknowledged& known = told->second;
    const Json& body = body_of(event);
    if (event.at("kind") != known.kind || text_of(body, "step") != known.step ||
        body.value("attempt", std::int64_t{0}) != known.attempt)
      accuse(fmt::format("record {} was acknowledged as {} {}.{} and is {}", n, known.kind, known.step, known.attempt,
                         event.dump().substr(0, 200)));
  }
  if (!acknowledged_.empty() && acknowledged_.rbegin()->first > last)
    accuse(fmt::format("record {} was acknowledged, the journal ends with {}", acknowledged_.rbegin()->first, last));
}

// All that one process wrote lies between two leases.
void EngineWitness::check_leases(const std::vector<Json>& journal) {
  std::map<int, std::int64_t> lease_of;
  std::int64_t lease = 1;
  for (const auto& event : journal) {
    if (event.at("kind") == "run.leased") lease = event.at("body").at("lease").get<std::int64_t>();
    const auto told = acknowledged_.find(event.at("n").get<std::int64_t>());
    if (told == acknowledged_.end()) continue;
    const auto [before, is_first] = lease_of.emplace(told->second.process, lease);
    if (!is_first && before->second != lease)
      accuse(fmt::format("process {} has lease {} and wrote record {} in lease {}", told->second.process,
                         before->second, told->first, lease));
  }
  takeovers_ = lease - 1;
}

void EngineWitness::check_effects(const workflow::RunState& state, const std::vector<Json>& journal) {
  std::map<std::string, int> decided;
  std::set<std::string> turns;
  std::map<std::string, int> settled;
  for (const auto& event : journal) {
    const auto record = workflow::read_record(event.at("kind").get<std::string>(), body_of(event));
    if (!record) continue;
    for (const auto& command : record->commands) {
      if (command.has_effect()) ++decided[command.id()];
      if (command.is<workflow::command::Turn>()) turns.insert(command.id());
    }
    if (is_outcome(record->event)) ++settled[id_of(record->event.step, record->event.attempt)];
  }
  for (const auto& [id, times] : decided)
    if (times != 1) accuse(fmt::format("{} was decided {} times", id, times));
  for (const auto& [id, times] : settled) {
    if (times != 1) accuse(fmt::format("{} was settled {} times", id, times));
    if (decided.count(id) == 0) accuse(fmt::format("{} was settled, and nobody had decided it", id));
  }
  for (const auto& [id, processes] : asked_)
    if (turns.count(id) == 0) accuse(fmt::format("an agent was asked {}, and nobody had decided it", id));
  if (!state.open.empty()) accuse(fmt::format("{} is open after the end", state.open.begin()->first));
  if (!state.teams.empty()) accuse(fmt::format("the team {} is there after the end", state.teams.front()));
}

void EngineWitness::check_commits(const std::vector<SimulatedCommit>& log) {
  std::map<std::string, int> made;
  for (const auto& commit : log) ++made[commit.step.empty() ? commit.message : commit.step];
  for (const auto& [what, times] : made)
    if (times != 1) accuse(fmt::format("{} was committed {} times", what, times));
}

void EngineWitness::check_replay(const workflow::Pinned& pinned, const std::vector<Json>& journal,
                                 const workflow::RunState& state) {
  engine::Replay replay(pinned, std::nullopt);
  for (const auto& event : journal) replay.reading().add(event);
  for (const auto& note : replay.reading().notes()) accuse("the journal cannot be read: " + note);
  for (const auto& difference : replay.differences())
    accuse(fmt::format("record {} {}: recorded {}, decided again {}", difference.n, difference.kind,
                       workflow::then_of(difference.recorded).dump().substr(0, 300),
                       workflow::then_of(difference.today).dump().substr(0, 300)));
  if (workflow::to_json(replay.reading().state()) != workflow::to_json(state))
    accuse(fmt::format("the records give another state: {} and not {}",
                       workflow::to_json(replay.reading().state()).dump(), workflow::to_json(state).dump()));
}

}  // namespace teamster::simulation
