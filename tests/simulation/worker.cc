#include "simulation/worker.h"

#include <fmt/format.h>

namespace teamster::simulation {

using namespace std::chrono_literals;

Worker::Worker(env::sim::World& world, hub::Home home, const Roster& roster, std::string name, Witness& witness,
               std::uint64_t seed, int actions)
    : world_(world),
      home_(std::move(home)),
      roster_(roster),
      name_(std::move(name)),
      witness_(witness),
      random_(seed),
      actions_left_(actions) {}

void Worker::start() {
  pause_.reset();
  client_.reset();
  busy_ = false;
  host_ = &world_.start(name_);
  client_ = std::make_unique<hub::Client>(host_->view(), home_, hub::Access::operator_of_home());
  next();
}

void Worker::next() {
  if (actions_left_ == 0) return;
  pause_ = host_->view().loop.after(std::chrono::microseconds(random_.next() % 5000), [this] { act(); });
}

const std::string& Worker::somebody() { return roster_.members[random_.next() % roster_.members.size()]; }

void Worker::act() {
  --actions_left_;
  const auto dice = random_.next() % 100;
  if (dice < 45) return send();
  if (dice < 50) return broadcast();
  if (dice < 65) return wait();
  if (dice < 78) return create_task();
  if (dice < 91) return claim();
  if (dice < 97) return hand_out();
  rejoin();
}

bool Worker::is_expected(const Error& error) const {
  // Members come back in new epochs meanwhile, so a claim may be over, a blocker may not exist
  // yet, and a task that is handed out may be done; everything else must work.
  if (error.code == Code::refused || error.code == Code::not_found) return true;
  return tolerates_failures_ &&
         (error.code == Code::unavailable || error.code == Code::unknown_outcome || error.code == Code::failed);
}

void Worker::call(const std::string& op, Json args, std::optional<Duration> wait,
                  std::function<void(const Json&)> on_ok) {
  busy_ = true;
  args["team"] = roster_.team;
  client_->call({op, std::move(args), wait, {}}, [this, op, on_ok = std::move(on_ok)](Result<Json> answer) {
    busy_ = false;
    if (answer)
      on_ok(*answer);
    else if (!is_expected(answer.error()))
      witness_.accuse(
          fmt::format("{}: {} failed: {} {}", name_, op, to_string(answer.error().code), answer.error().text()));
    if (!busy_) next();
  });
}

void Worker::send() {
  const std::string to = somebody();
  const int number = next_number_++;
  call("message.send", {{"from", name_}, {"to", to}, {"body", std::to_string(number)}}, {},
       [this, to, number](const Json& answer) {
         witness_.sent(name_, to, number, answer.at("id").get<std::int64_t>());
       });
}

void Worker::broadcast() {
  const int number = next_number_++;
  call("message.broadcast", {{"from", name_}, {"body", std::to_string(number)}}, {},
       [this, number](const Json& answer) {
         const Json& ids = answer.at("ids");
         if (ids.size() != roster_.members.size() - 1)
           witness_.accuse(fmt::format("a broadcast reached {} members", ids.size()));
         for (std::size_t i = 0; i < ids.size(); ++i)
           witness_.sent(name_, answer.at("to")[i].get<std::string>(), number, ids[i].get<std::int64_t>());
       });
}

void Worker::wait() {
  const bool marks = random_.next() % 2 == 0;
  Json args = {{"member", name_}};
  if (marks) args["mark"] = "acted";
  call("message.wait", args, std::chrono::milliseconds(random_.next() % 200), [](const Json&) {});
}

void Worker::create_task() {
  Json blockers = Json::array();
  // Numbers that do not exist yet are refused, which is fine: the task is then not created.
  if (random_.next() % 3 == 0) blockers.push_back(1 + random_.next() % 10);
  Json args = {{"subject", "work"}, {"blocked_by", blockers}};
  const bool is_reserved = random_.next() % 3 == 0;
  if (is_reserved) args["reserved"] = name_ + " hands it out";
  call("task.create", std::move(args), {}, [this, is_reserved](const Json& answer) {
    if (is_reserved) reserved_.push_back(answer.at("task").at("id").get<std::int64_t>());
  });
}

void Worker::claim() {
  call("task.claim", {{"member", name_}}, std::chrono::milliseconds(random_.next() % 300), [this](const Json& answer) {
    if (answer.at("task").is_null()) return;
    if (!answer["task"].at("reserved").is_null())
      witness_.accuse(fmt::format("{}: got the reserved task {}", name_, answer["task"].at("id").dump()));
    complete(answer["task"].at("id").get<std::int64_t>(), answer["task"].at("token").get<std::string>());
  });
}

void Worker::hand_out() {
  if (reserved_.empty()) return create_task();
  const auto task = reserved_[random_.next() % reserved_.size()];
  const std::string to = somebody();
  // Completed, or blocked: refused. Held by another: it moves.
  call("task.claim", {{"member", to}, {"id", task}, {"reserved", true}}, {}, [this, task](const Json& answer) {
    // The answer to a retry may come when it has moved on.
    if (answer.at("task").at("id") != task) witness_.accuse(fmt::format("{}: gave {} and not it", name_, task));
    if (random_.next() % 2 == 0) return;
    call("task.update", {{"id", task}, {"reserved", true}, {"status", "completed"}, {"why", "done"}}, {},
         [this, task](const Json&) { witness_.completed(task); });
  });
}

void Worker::complete(std::int64_t task, const std::string& token) {
  call("task.update", {{"id", task}, {"token", token}, {"status", "completed"}}, {},
       [this, task](const Json&) { witness_.completed(task); });
}

void Worker::rejoin() {
  call("team.join", {{"member", name_}}, {}, [](const Json&) {});
}

}  // namespace teamster::simulation
