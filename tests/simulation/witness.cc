#include "simulation/witness.h"

#include <fmt/format.h>

namespace teamster::simulation {

void Witness::sent(const std::string& from, const std::string& to, int number, std::int64_t id) {
  if (!sent_.emplace(id, Sent{from, to, number}).second)
    accuse(fmt::format("message {} was acknowledged twice as new", id));
}

void Witness::check_inbox(const std::string& member, const std::vector<Json>& messages) {
  std::set<std::int64_t> found;
  std::map<std::string, int> last_number;  // by sender
  std::int64_t last_id = 0;
  for (const auto& message : messages) {
    const auto id = message.at("id").get<std::int64_t>();
    if (id <= last_id) accuse(fmt::format("{}: message {} comes after {}", member, id, last_id));
    last_id = id;
    found.insert(id);
    if (message.at("kind") != "message") continue;
    const auto from = message.at("from").get<std::string>();
    const int number = std::stoi(message.at("body").get<std::string>());
    const auto last = last_number.find(from);
    if (last != last_number.end() && number <= last->second)
      accuse(fmt::format("{}: {} of {} comes after {} (lost order, or twice)", member, number, from, last->second));
    last_number[from] = number;
  }
  for (const auto& [id, sent] : sent_)
    if (sent.to == member && !found.contains(id))
      accuse(fmt::format("{}: acknowledged message {} is lost", member, id));
}

void Witness::check_tasks(const std::vector<Json>& tasks) {
  std::map<std::int64_t, std::string> status;
  for (const auto& task : tasks) status[task.at("id").get<std::int64_t>()] = task.at("status").get<std::string>();
  for (const auto task : completed_)
    if (status[task] != "completed")
      accuse(fmt::format("task {} was acknowledged as completed and is '{}'", task, status[task]));
}

void Witness::check_journal(const std::vector<Json>& events) {
  std::map<std::int64_t, std::string> held;  // task → member
  std::map<std::int64_t, std::set<std::int64_t>> blockers;
  std::set<std::int64_t> done;
  std::int64_t last_seq = 0;
  for (const auto& event : events) {
    const auto seq = event.at("seq").get<std::int64_t>();
    if (seq <= last_seq) accuse(fmt::format("event {} comes after {}", seq, last_seq));
    last_seq = seq;
    const auto kind = event.at("kind").get<std::string>();
    const Json& body = event.at("body");
    const auto id = body.value("id", std::int64_t{0});
    if (kind == "task.created") {
      for (const auto& blocker : body.at("blocked_by")) blockers[id].insert(blocker.get<std::int64_t>());
    } else if (kind == "task.claimed") {
      if (held.contains(id))
        accuse(fmt::format("task {} is claimed by {} and by {}", id, held[id], body.at("member").get<std::string>()));
      if (done.contains(id)) accuse(fmt::format("task {} is claimed after it was completed", id));
      for (const auto blocker : blockers[id])
        if (!done.contains(blocker))
          accuse(fmt::format("task {} is claimed before its blocker {} is completed", id, blocker));
      held[id] = body.at("member").get<std::string>();
    } else if (kind == "task.updated" && body.contains("status")) {
      held.erase(id);
      if (body["status"] == "completed" && !done.insert(id).second)
        accuse(fmt::format("task {} is completed twice", id));
    } else if (kind == "task.released") {
      for (const auto& released : body.at("ids")) held.erase(released.get<std::int64_t>());
    }
  }
}

}  // namespace teamster::simulation
