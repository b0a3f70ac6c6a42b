#include "hub/server.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "env/clock.h"
#include "env/liveness.h"
#include "env/processes.h"
#include "protocol/client/access.h"
#include "protocol/client/home_owner.h"
#include "protocol/words/operations.h"
#include "store/wal_file.h"
#include "version.h"

namespace teamster::hub {

using namespace std::chrono_literals;

Result<std::unique_ptr<Server>> Server::start(const env::World& world, const Home& home, const ServerOptions& options,
                                              Log& log, std::function<void()> on_finished) {
  std::unique_ptr<Server> server(new Server(world, home, options, log, std::move(on_finished)));
  TRY_VOID(check_may_serve(world, home));
  server->cookie_ = TRY(ensure_cookie(world.files, world.random, home));
  auto lock = world.files.try_lock(home.lock_file());
  if (!lock) return fail(explained(world.files, home, lock.error()));
  server->lock_ = *std::move(lock);
  if (!server->lock_) return fail(Code::refused, fmt::format("another hub serves {}", home.path()));
  if (auto opened = server->open_store(); !opened) {
    // It lives long enough to say why. The next one may find the disk mended, so it goes also while
    // clients stay with it.
    server->broken_ = explained(world.files, home, opened.error());
    server->deadline_ = world.loop.after(1s, [broken = server.get()] { broken->stop("the store cannot be opened"); });
    log.error("store.failed", {{"what", opened.error().what}, {"next", opened.error().next}});
  }
  TRY_VOID(server->listen());
  server->arm_idle();
  log.info("hub.started", {{"pid", world.processes.self().pid}, {"home", home.path()}, {"version", kVersion}});
  return server;
}

Server::Server(const env::World& world, Home home, ServerOptions options, Log& log, std::function<void()> on_finished)
    : world_(world),
      home_(std::move(home)),
      options_(std::move(options)),
      log_(log),
      on_finished_(std::move(on_finished)),
      started_(world.clock.now()) {
  handlers_.admit = [this](const Json& hello, const Peer& peer) { return admit(hello, peer); };
  handlers_.on_partial = [this] { sweep_overdue(); };
  handlers_.on_requests = [this](ConnectionId id) {
    ready_.insert(id);
    schedule_requests();
  };
  handlers_.on_end = [this](ConnectionId id) { drop(id); };
  handlers_.welcome = [this] {
    return Json{{"welcome", kProtocolVersion}, {"hub", kVersion}, {"pid", world_.processes.self().pid}};
  };
}

Server::~Server() { *alive_ = false; }

Result<void> Server::open_store() {
  store::StoreOptions options;
  options.path = home_.store_file();
  options.vfs = options_.vfs;
  options.syncs_commits = false;
  options.is_alive = [this](const ProcessIdentity& process, std::optional<WallTime> until) {
    const auto liveness = env::liveness_of(world_.processes, process);
    // Of a process that cannot be seen from here only a lease tells something.
    if (liveness == env::Liveness::elsewhere) return until && *until > world_.clock.wall_now();
    return liveness == env::Liveness::alive;
  };
  store_ = TRY(store::Store::open(options));
  sync_ = TRY(options_.open_sync ? options_.open_sync(options.path) : world_.files.open_sync(options.path + "-wal"));
  executor_ =
      std::make_unique<Executor>(world_, *store_, [this](const Pending& request) { return hub_operation(request); });
  return {};
}

Result<void> Server::listen() {
  listener_ = TRY(world_.network.listen(home_.socket(),
                                        [this](std::unique_ptr<env::Stream> stream) { accept(std::move(stream)); }));
  return {};
}

void Server::accept(std::unique_ptr<env::Stream> stream) {
  if (stopping_) return;
  const ConnectionId id = next_connection_++;
  auto& connection = *(connections_[id] = std::make_unique<Connection>(id, world_, std::move(stream), handlers_));
  idle_.reset();
  connection.start();
  if (connections_.size() > limits::kConnectionsMax)
    connection.refuse({Code::refused, fmt::format("the hub has {} connections, the limit", limits::kConnectionsMax),
                       "Close some and try again"});
  sweep_overdue();
}

// The cookie alone proves nothing: agents run as the same user and can read it.
Result<team::Actor> Server::admit_operator(const std::string& cookie, const Peer& peer) {
  if (!equal_in_constant_time(cookie, cookie_)) return fail(Code::refused, "the cookie is not that of this home", "");
  const auto checked = peer.pid == 0 ? Result<void>() : check_is_operator(world_, home_, peer.process);
  if (!checked) {
    log_.warning("operator.refused", {{"pid", peer.pid}, {"what", checked.error().what}});
    return fail(checked.error());
  }
  team::Actor actor;
  actor.is_operator = true;
  actor.name = kOperator;
  return actor;
}

Result<team::Actor> Server::admit(const Json& hello, const Peer& peer) {
  if (broken_) return fail(*broken_);
  const auto version = TRY(integer_field(hello, "hello"));
  if (version != kProtocolVersion)
    return fail(Code::refused,
                fmt::format("the running hub speaks protocol {}, this program {}", kProtocolVersion, version),
                "Run `teamster hub --stop` with the program that started it, then try again");
  const auto cookie = TRY(optional_string_field(hello, "cookie"));
  if (cookie) return admit_operator(*cookie, peer);
  const auto token = TRY(optional_string_field(hello, "token"));
  if (!token)
    return fail(Code::refused, "neither cookie nor token was shown",
                "Run as the user who owns the home, or give --token-file");
  const auto holder = TRY(check_token(cookie_, *token));
  const auto member = TRY(store_->projection().members.get(holder.member));
  if (!member || member->team != holder.team)
    return fail(Code::refused, "the token's member does not exist any more", "");
  return team::Actor{false, holder.team, holder.member, holder.epoch, member->name};
}

// A hub that lives for one command does not write megabytes of zeros for it.
void Server::extend_log_when_busy() {
  constexpr std::uint64_t kBusyCommits = 32;
  if (is_log_extended_ || executor_->commits() < kBusyCommits || options_.wal_bytes == 0) return;
  is_log_extended_ = true;
  constexpr std::uint64_t kShortOfSpace = 16;
  const auto free_bytes = world_.files.free_bytes(home_.path());
  if (!free_bytes || *free_bytes / kShortOfSpace < static_cast<std::uint64_t>(options_.wal_bytes)) return;
  if (auto extended = store::extend_wal(home_.store_file(), options_.vfs, options_.wal_bytes); !extended)
    log_.warning("log.not_extended", {{"what", extended.error().what}});
}

// A share from every connection, so that one that asks a thousand things at once does not
// keep the others waiting, and in turns, so that many of them do not either.
void Server::execute_ready() {
  std::vector<Pending> requests;
  for (std::size_t left = ready_.size(); left > 0 && requests.size() < limits::kBatchRequestsMax; --left) {
    auto next = ready_.upper_bound(served_last_);
    if (next == ready_.end()) next = ready_.begin();
    served_last_ = *next;
    const auto connection = connections_.find(served_last_);
    if (connection != connections_.end())
      for (auto& request : connection->second->take_requests(limits::kBatchRequestsPerConnectionMax))
        requests.push_back(std::move(request));
    if (connection == connections_.end() || !connection->second->has_requests()) ready_.erase(next);
    batch_from_.insert(served_last_);
  }
  executor_->take(requests);
  for (auto left = requests.rbegin(); left != requests.rend(); ++left) {
    const auto connection = connections_.find(left->connection);
    if (connection == connections_.end()) continue;
    ready_.insert(left->connection);
    connection->second->put_back(std::move(*left));
  }
}

// What is there is done while others are awaited, and committed with theirs.
void Server::schedule_requests() {
  const std::size_t done = executor_ && executor_->is_open() ? batch_from_.size() : 0;
  const auto until = crowd_.wait_until(done + ready_.size(), world_.clock.now());
  if (!until) return schedule_batch();
  if (!gathering_) gathering_ = world_.loop.after(*until - world_.clock.now(), [this] { schedule_batch(); });
  if (std::exchange(is_early_scheduled_, true)) return;
  world_.loop.post([this, alive = alive_] {
    if (!*alive) return;
    is_early_scheduled_ = false;
    // Only what somebody will commit: a batch may have taken everything meanwhile.
    const bool will_end = gathering_ && !batch_scheduled_ && !is_syncing_ && !stopping_;
    if (will_end && executor_ && !ready_.empty()) execute_ready();
  });
}

void Server::schedule_batch() {
  if (batch_scheduled_) return;
  batch_scheduled_ = true;
  world_.loop.post([this, alive = alive_] {
    if (*alive) run_batch();
  });
}

void Server::run_batch() {
  batch_scheduled_ = false;
  if (stopping_ || !executor_) return;
  // Not forgotten: besides requests, deadlines may have called for it.
  is_batch_deferred_ = is_syncing_;
  if (is_batch_deferred_) return;
  gathering_.reset();
  const auto commits = executor_->commits();
  execute_ready();
  BatchResult result = executor_->finish();
  if (result.fatal) {
    send_answers(std::move(result.answers));
    log_.error("store.failed", {{"what", result.fatal->what}, {"next", result.fatal->next}});
    return stop("the store failed");
  }
  if (executor_->commits() != commits) {
    start_sync(std::move(result.answers));
  } else {
    batch_from_.clear();
    send_answers(std::move(result.answers));
  }
  extend_log_when_busy();
  arm_deadline();
  if (!ready_.empty()) schedule_batch();
}

void Server::start_sync(std::vector<Response> answers) {
  is_syncing_ = true;
  syncing_ = std::move(answers);
  sync_started_ = world_.clock.now();
  sync_->start([this](const Result<void>& synced) { finish_sync(synced); });
}

void Server::finish_sync(const Result<void>& synced) {
  is_syncing_ = false;
  auto answers = std::exchange(syncing_, {});
  if (!synced) {
    for (auto& answer : answers) answer.content = synced.error();
    send_answers(std::move(answers));
    log_.error("sync.failed", {{"what", synced.error().what}, {"next", synced.error().next}});
    return stop("the disk failed");
  }
  const Instant now = world_.clock.now();
  send_answers(std::move(answers));
  crowd_.answered(std::exchange(batch_from_, {}), now, now - sync_started_);
  if (is_batch_deferred_ || !ready_.empty()) schedule_batch();
}

void Server::send_answers(std::vector<Response> answers) {
  std::vector<ConnectionId> touched;
  for (auto& answer : answers) {
    // Files follow the commit and come before the answer, whether or not somebody still listens.
    if (auto* text = std::get_if<std::string>(&answer.content); text != nullptr && !answer.op_with_files.empty()) {
      auto complete = with_files(answer.op_with_files, *text);
      if (complete)
        *text = dump_json(*complete);
      else
        answer.content = complete.error();
    }
    const auto connection = connections_.find(answer.connection);
    if (connection == connections_.end()) continue;
    if (const auto* text = std::get_if<std::string>(&answer.content))
      connection->second->answer(answer.request, *text);
    else
      connection->second->answer(answer.request, std::get<Error>(answer.content));
    touched.push_back(answer.connection);
  }
  for (const ConnectionId id : touched)
    if (const auto connection = connections_.find(id); connection != connections_.end()) connection->second->flush();
}

std::optional<Result<Json>> Server::hub_operation(const Pending& request) {
  if (request.op == operation::kHubStatus) return Result<Json>(status());
  if (request.op == operation::kHubStop) {
    world_.loop.post([this, alive = alive_] {
      if (*alive) stop("asked to");
    });
    return Result<Json>(Json{{"stopping", true}});
  }
  if (request.op == operation::kStoreCheck) {
    const auto check = [&]() -> Result<Json> {
      const auto problems = TRY(store_->check(TRY(flag_field(request.args, "rebuild"))));
      const auto events = TRY(store_->event_count());
      return Json{{"ok", problems.empty()}, {"events", events}, {"problems", problems}};
    };
    return check();
  }
  return std::nullopt;
}

Json Server::status() {
  constexpr std::int64_t kPageBytes = 4096;
  std::int64_t rss = 0;
  if (const auto statm = world_.files.read("/proc/self/statm", 4096)) {
    const auto space = statm->find(' ');
    if (space != std::string::npos) rss = std::strtoll(statm->c_str() + space, nullptr, 10) * kPageBytes;
  }
  const auto number = [](const Result<std::int64_t>& result) { return result ? *result : -1; };
  return {{"pid", world_.processes.self().pid},
          {"version", kVersion},
          {"protocol", kProtocolVersion},
          {"home", home_.path()},
          {"uptime_ms", to_ms(world_.clock.now() - started_)},
          {"connections", connections_.size()},
          {"parked", executor_->parked()},
          {"requests", executor_->requests()},
          {"commits", executor_->commits()},
          {"rss_bytes", rss},
          {"store",
           {{"format", store::kFormat},
            {"events", store_->next_seq().value - 1},
            {"bytes", number(store_->file_bytes())}}}};
}

void Server::drop(ConnectionId id) {
  const auto connection = connections_.find(id);
  if (connection == connections_.end()) return;
  ended_.push_back(std::move(connection->second));
  connections_.erase(connection);
  ready_.erase(id);
  if (executor_) executor_->drop_connection(id);
  world_.loop.post([this, alive = alive_] {
    if (*alive) ended_.clear();
  });
  if (connections_.empty()) arm_idle();
}

void Server::arm_idle() {
  if (stopping_) return;
  idle_ = world_.loop.after(options_.idle_exit, [this] {
    if (connections_.empty()) stop("idle");
  });
}

void Server::arm_deadline() {
  const auto next = executor_->next_deadline();
  if (!next)
    deadline_.reset();
  else
    deadline_ = world_.loop.after(*next, [this] { schedule_batch(); });
}

void Server::sweep_overdue() {
  if (sweep_) return;
  sweep_ = world_.loop.after(1s, [this] {
    sweep_.reset();
    std::vector<Connection*> overdue;
    bool unfinished = false;
    for (const auto& [id, connection] : connections_) {
      if (connection->is_overdue(world_.clock.now())) overdue.push_back(connection.get());
      unfinished = unfinished || connection->is_unfinished();
    }
    for (Connection* connection : overdue)
      connection->refuse({Code::invalid, "a hello or the rest of a frame did not come in time", ""});
    if (unfinished) sweep_overdue();
  });
}

void Server::stop(std::string_view why) {
  // What was done in vain would be done again by the next hub, but its answers are due.
  if (!stopping_ && executor_ && executor_->is_open()) run_batch();
  if (stopping_) return;
  stopping_ = true;
  log_.info("hub.stopping", {{"why", why}});
  listener_.reset();
  idle_.reset();
  deadline_.reset();
  finish_when_drained();
}

void Server::finish_when_drained() {
  bool unsent = is_syncing_;
  for (const auto& [id, connection] : connections_) unsent = unsent || connection->has_unsent();
  constexpr Duration kDrainStep = 10ms;
  constexpr int kDrainStepsMax = 200;
  const bool wait = unsent && drain_steps_++ < kDrainStepsMax;
  drain_ = world_.loop.after(wait ? kDrainStep : Duration::zero(), [this, wait] {
    if (wait) return finish_when_drained();
    finished_ = true;
    on_finished_();
  });
}

}  // namespace teamster::hub
