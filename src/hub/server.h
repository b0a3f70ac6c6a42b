// Server: the hub itself. Takes connections, gathers the requests of one turn of the
// loop into a batch, commits it once, and then answers. Serves until it has been idle for
// a while, is told to stop, or its store fails. A store that cannot be opened is served
// too: every client is told why, then the hub goes (a hub that explains itself).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "env/files.h"
#include "env/later.h"
#include "env/loop.h"
#include "env/network.h"
#include "env/world.h"
#include "hub/connection.h"
#include "hub/crowd.h"
#include "hub/executor.h"
#include "protocol/client/home.h"
#include "store/store.h"

namespace teamster::hub {

struct ServerOptions {
  Duration idle_exit = limits::kHubIdleExit;
  std::string vfs;  // of the store; empty: the system's
  // How long the store's log is made in advance once the hub is busy: somewhat over the
  // 8 MiB after which it starts anew. 0: it grows.
  std::int64_t wal_bytes = 9 * 1024 * 1024;
  // How the store's log is made durable; by default with Files::open_sync.
  std::function<Result<std::unique_ptr<env::FileSync>>(const std::string& database)> open_sync = nullptr;
};

class Server {
 public:
  // Code::refused when another hub serves this home. `on_finished` is called from the
  // loop when it has nothing more to do; the owner then destroys it.
  static Result<std::unique_ptr<Server>> start(const env::World& world, const Home& home, const ServerOptions& options,
                                               Log& log, std::function<void()> on_finished);
  ~Server();

  // No new connection, answer what is here, then finish.
  void stop(std::string_view why);

 private:
  Server(const env::World& world, Home home, ServerOptions options, Log& log, std::function<void()> on_finished);
  Result<void> open_store();
  Result<void> listen();
  void accept(std::unique_ptr<env::Stream> stream);
  Result<team::Actor> admit(const Json& hello, const Peer& peer);
  Result<team::Actor> admit_operator(const std::string& cookie, const Peer& peer);
  void execute_ready();
  void extend_log_when_busy();
  void drop(ConnectionId id);
  void schedule_batch();
  // The same for the sake of requests, which may wait for others to come.
  void schedule_requests();
  void run_batch();
  // Answers leave when everything committed so far is on disk.
  void start_sync(std::vector<Response> answers);
  void finish_sync(const Result<void>& synced);
  void send_answers(std::vector<Response> answers);
  // What lies in files: token files of members, directories of deleted teams, space in the store.
  Result<Json> with_files(const std::string& op, const std::string& text);
  void compact_store();
  Result<Json> with_token_file(TeamId team, const std::string& ref, Json member);
  std::optional<Result<Json>> hub_operation(const Pending& request);
  Json status();
  void arm_deadline();
  void arm_idle();
  void sweep_overdue();
  void finish_when_drained();

  env::World world_;
  Home home_;
  ServerOptions options_;
  Log& log_;
  std::function<void()> on_finished_;
  std::string cookie_;
  std::unique_ptr<env::FileLock> lock_;
  std::unique_ptr<store::Store> store_;
  std::optional<Error> broken_;  // why there is no store
  std::unique_ptr<Executor> executor_;
  Connection::Handlers handlers_;
  std::map<ConnectionId, std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Connection>> ended_;  // destroyed on the next turn: their code may be running
  std::unique_ptr<env::Listener> listener_;
  std::unique_ptr<env::FileSync> sync_;
  std::vector<Response> syncing_;  // wait for the sync that runs
  bool is_syncing_ = false;
  Instant sync_started_;
  Crowd crowd_;
  std::set<ConnectionId> batch_from_;  // connections of the batch that runs or is synced
  bool is_log_extended_ = false;
  std::set<ConnectionId> ready_;  // connections with requests that may run
  ConnectionId served_last_ = 0;  // the next batch begins behind it
  bool batch_scheduled_ = false;
  bool is_early_scheduled_ = false;
  bool is_batch_deferred_ = false;  // until the sync that runs has ended
  bool stopping_ = false;
  bool finished_ = false;
  ConnectionId next_connection_ = 1;
  Instant started_;
  env::Timer deadline_;
  env::Timer gathering_;
  env::Timer idle_;
  env::Timer sweep_;
  env::Timer drain_;
  int drain_steps_ = 0;
  env::Later later_;
};

}  // namespace teamster::hub
