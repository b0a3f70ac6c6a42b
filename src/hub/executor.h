// Executor: runs a batch of requests in one transaction of the store and says what to
// answer to whom. Requests that wait are parked, and run again inside the transaction
// that makes them possible. Owned by the server, on its thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/world.h"
#include "hub/parking.h"
#include "protocol/client/home.h"
#include "store/store.h"
#include "team/operation.h"

namespace teamster::hub {

struct Response {
  ConnectionId connection = 0;
  std::int64_t request = 0;
  // JSON text, or an error.
  std::variant<std::string, Error> content;
  // Of an operation that also concerns files; empty for others.
  std::string op_with_files = {};
};

struct BatchResult {
  std::vector<Response> answers;
  // The store failed: every request got an error and the hub must end.
  std::optional<Error> fatal;
};

// Operations about the hub itself, which the server answers: name, arguments → answer.
using HubOperation = std::function<std::optional<Result<Json>>(const Pending&)>;

class Executor {
 public:
  Executor(const env::World& world, store::Store& store, HubOperation hub_operation);

  // A batch is one transaction. `take` answers or parks the requests and takes them out; what is left when the
  // answers have become large stays for the next batch. It may be called several times, until `finish` commits.
  // Deadlines that have passed are dealt with too.
  void take(std::vector<Pending>& requests);
  BatchResult finish();
  bool is_open() const { return is_open_; }

  // When there must be a batch even without a request.
  std::optional<Duration> next_deadline();
  void drop_connection(ConnectionId connection) { parking_.drop_connection(connection); }
  std::size_t parked() const { return parking_.size(); }
  std::uint64_t commits() const { return commits_; }
  std::uint64_t requests() const { return requests_; }

 private:
  Result<void> open();
  Result<void> execute_all(std::vector<Pending>& requests);
  Result<void> commit();
  Result<void> settle_deadlines();
  // Runs one request; answers it, or parks it if `may_park`.
  Result<void> execute(Pending request, bool may_park);
  Result<void> execute_team(const team::Operation& operation, Pending request, bool may_park);
  void reply(const Pending& request, std::string answer);
  void reply(const Pending& request, const Error& error);
  Result<std::optional<std::string>> repeated_answer(const team::Operation& operation, const Pending& request,
                                                     const std::string& key, std::int64_t digest);
  Result<std::string> read_journal(const Pending& request, bool& is_empty);
  Result<void> wake_parked();
  void note_touched();
  std::optional<WallTime> next_due();

  env::World world_;
  store::Store& store_;
  team::Scene scene_;
  HubOperation hub_operation_;
  Parking parking_;
  std::vector<team::Topic> touched_;
  // Of the batch.
  bool is_open_ = false;
  Seq first_;
  std::vector<Response> victims_;  // who must hear of a failure of the whole batch
  std::optional<Error> failure_;
  std::vector<Response> answers_;
  std::size_t answer_bytes_ = 0;

  std::optional<WallTime> next_due_;  // when redelivery or a shutdown falls due
  bool is_due_known_ = false;
  std::uint64_t commits_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace teamster::hub
