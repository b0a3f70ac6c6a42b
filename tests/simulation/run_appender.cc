#include "simulation/run_appender.h"
#include "protocol/words/process_record.h"

#include <fmt/format.h>

namespace teamster::simulation {

using namespace std::chrono_literals;

namespace {

constexpr int kLeaseSeconds = 1;
constexpr Duration kUsualPause = 5ms;
constexpr Duration kHang = 3s;

}  // namespace

RunAppender::RunAppender(env::sim::World& world, hub::Home home, std::string run, std::string name, RunWitness& witness,
                         std::uint64_t seed, int actions)
    : world_(world),
      home_(std::move(home)),
      run_(std::move(run)),
      name_(std::move(name)),
      witness_(witness),
      random_(seed),
      actions_left_(actions) {}

void RunAppender::start() {
  pause_.reset();
  client_.reset();
  busy_ = false;
  lease_ = 0;
  host_ = &world_.start(name_);
  client_ = std::make_unique<hub::Client>(host_->view(), home_, hub::Access::operator_of_home());
  next(kUsualPause);
}

void RunAppender::kill() {
  world_.kill(*host_);
  start();
}

void RunAppender::next(Duration longest) {
  if (actions_left_ == 0) return;
  const auto most = static_cast<std::uint64_t>(longest / 1us);
  pause_ = host_->view().loop.after(std::chrono::microseconds(random_.next() % most), [this] { act(); });
}

void RunAppender::act() {
  const auto dice = random_.next() % 100;
  if (dice < 10) return tell();
  if (lease_ == 0) return take();
  if (dice < 13) return release();
  // Others may take the run meanwhile; then the next append must fail.
  if (dice < 16) return next(kHang);
  append();
}

Json RunAppender::holder() {
  const auto self = host_->view().processes.self();
  return holder_argument(self);
}

std::string RunAppender::next_id() { return fmt::format("{}.{}", name_, next_number_++); }

void RunAppender::call(const std::string& op, Json args, std::function<void(const Result<Json>&)> then) {
  busy_ = true;
  args["run"] = run_;
  client_->call({op, std::move(args), {}, {}}, [this, op, then = std::move(then)](const Result<Json>& answer) {
    busy_ = false;
    if (!answer && is_lost(op, answer.error())) lease_ = 0;
    then(answer);
  });
}

bool RunAppender::is_lost(const std::string& op, const Error& error) {
  const bool is_missed =
      error.what.find("goes on after") != error.what.npos || error.what.find("no record") != error.what.npos;
  const bool is_trouble =
      error.code == Code::unavailable || error.code == Code::unknown_outcome || error.code == Code::failed;
  const bool is_expected = error.code == Code::refused || (op == "run.tell" && error.code == Code::not_found);
  if (is_missed || !(is_expected || (tolerates_failures_ && is_trouble)))
    witness_.accuse(fmt::format("{}: {} failed: {} {}", name_, op, to_string(error.code), error.text()));
  return op != "run.tell";
}

void RunAppender::granted(const Json& answer) {
  lease_ = answer.at("lease").get<std::int64_t>();
  after_ = answer.at("n").get<std::int64_t>();
}

void RunAppender::take() {
  const Json args = {{"workflow", "work"}, {"holder", holder()}, {"seconds", kLeaseSeconds}};
  call("run.start", args, [this](const Result<Json>& answer) {
    // Somebody has started it; in any other trouble nobody may have.
    if (!answer && answer.error().code == Code::refused) return take_existing();
    if (!answer) return next(20 * kUsualPause);
    granted(*answer);
    next(kUsualPause);
  });
}

void RunAppender::take_existing() {
  call("run.lease", {{"holder", holder()}, {"seconds", kLeaseSeconds}}, [this](const Result<Json>& answer) {
    if (answer) granted(*answer);
    next(answer ? kUsualPause : 20 * kUsualPause);
  });
}

void RunAppender::append() {
  --actions_left_;
  std::vector<std::string> ids;
  Json records = Json::array();
  for (auto left = 1 + random_.next() % 3; left > 0; --left) {
    ids.push_back(next_id());
    records.push_back({{"kind", "step.done"}, {"body", {{"record", ids.back()}, {"lease", lease_}}}});
  }
  call("run.append", {{"lease", lease_}, {"after", after_}, {"records", records}},
       [this, ids = std::move(ids)](const Result<Json>& answer) {
         if (answer) {
           after_ = answer->at("n").get<std::int64_t>();
           const std::int64_t first = after_ - static_cast<std::int64_t>(ids.size()) + 1;
           for (std::size_t i = 0; i < ids.size(); ++i)
             witness_.acknowledged(first + static_cast<std::int64_t>(i), ids[i]);
         }
         next(kUsualPause);
       });
}

void RunAppender::tell() {
  --actions_left_;
  const std::string id = next_id();
  call("run.tell", {{"what", "note"}, {"body", {{"record", id}}}}, [this, id](const Result<Json>& answer) {
    if (answer) witness_.acknowledged(answer->at("n").get<std::int64_t>(), id);
    next(kUsualPause);
  });
}

void RunAppender::release() {
  call("run.release", {{"lease", lease_}}, [this](const Result<Json>&) {
    lease_ = 0;
    next(kUsualPause);
  });
}

}  // namespace teamster::simulation
