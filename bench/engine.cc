#include "bench/engine.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "bench/noop_runs.h"
#include "bench/teamster_subject.h"
#include "engine/run_setup.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/real/descriptor.h"
#include "protocol/words/process_record.h"

namespace teamster::bench {
namespace {

using workflow::RunEvent;
using workflow::RunRecord;
namespace event = workflow::event;

constexpr std::size_t kRecordsPerAppend = 500;
constexpr std::int64_t kSnapshotEvery = 1000;
constexpr std::size_t kRecordBytes = 400;
constexpr const char* kHostsRuns = "noop-runs";
constexpr off_t kRingBytes = 32 * 1024 * 1024;

// The run as the engine decides it, without a disk in between.
class Imagined {
 public:
  explicit Imagined(const workflow::Pinned& pinned) : pinned_(pinned) {}

  Json next() {
    RunEvent event = workflow::event_of(event::Started{});
    if (!state_.open.empty()) event = NoopEffects::outcome_of(state_.open.begin()->second);
    const RunRecord record = workflow::advance(pinned_, state_, std::move(event));
    return workflow::journal_entry(record);
  }
  const workflow::RunState& state() const { return state_; }

 private:
  const workflow::Pinned& pinned_;
  workflow::RunState state_;
};

Json this_process(const env::World& world) {
  const env::ProcessIdentity self = world.processes.self();
  return holder_argument(self);
}

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    CHECK(::sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK);
  }
  ~Statement() { ::sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

std::string steps_measure(int runs) { return fmt::format("steps: {} run{}", runs, runs == 1 ? "" : "s"); }

Prepare step_taker(TeamsterSubject& subject) {
  return [home = subject.home()](int) -> Result<Operation> {
    auto runs = std::make_shared<NoopRuns>(home);
    TRY_VOID(runs->one_step());
    return Operation([runs, count = std::int64_t{0}]() mutable -> Result<std::optional<std::int64_t>> {
      TRY_VOID(runs->one_step());
      return std::optional(++count);
    });
  };
}

Prepare disk_syncer(const std::string& directory) {
  return [directory](int worker) -> Result<Operation> {
    const std::string path = fmt::format("{}/synced-{}", directory, worker);
    auto file =
        std::make_shared<env::real::Descriptor>(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file->number() < 0) return fail(Code::failed, fmt::format("cannot create {}", path));
    const std::string zeros(kRingBytes, '\0');
    if (::pwrite(file->number(), zeros.data(), zeros.size(), 0) != kRingBytes || ::fsync(file->number()) != 0)
      return fail(Code::failed, fmt::format("cannot write {}", path));
    return Operation([file, at = off_t{0}]() mutable -> Result<std::optional<std::int64_t>> {
      const std::string record(kRecordBytes, 'x');
      if (at + static_cast<off_t>(record.size()) > kRingBytes) at = 0;
      if (::pwrite(file->number(), record.data(), record.size(), at) != static_cast<ssize_t>(record.size()) ||
          ::fdatasync(file->number()) != 0)
        return fail(Code::failed, "cannot write and sync");
      at += static_cast<off_t>(record.size());
      return std::optional<std::int64_t>(at);
    });
  };
}

Result<std::unique_ptr<LongRun>> LongRun::make(TeamsterSubject& subject, const std::string& scratch,
                                               std::int64_t records) {
  std::unique_ptr<LongRun> run(new LongRun(subject, scratch));
  TRY_VOID(subject.ensure_hub());
  TRY_VOID(run->write(records));
  TRY_VOID(run->keep_copy());
  return run;
}

Result<void> LongRun::write(std::int64_t records) {
  run_ = new_run_name();
  const workflow::Pinned pinned = endless_checks(run_);
  const std::string digest = workflow::digest(pinned.bundle);
  HubConnection hub(subject_.home(), hub::Access::operator_of_home());
  auto& files = hub.world().files;
  TRY_VOID(engine::save_bundle(files, subject_.home(), run_, pinned.bundle));
  const engine::SnapshotFile snapshots(files, subject_.home(), run_, digest);
  Imagined imagined(pinned);
  Json started = imagined.next();
  Json args = {{"run", run_}, {"workflow", pinned.workflow.name}, {"holder", this_process(hub.world())}};
  args["body"] = std::move(started["body"]);
  const Json begun = TRY(hub.call("run.start", std::move(args)));
  const Json& lease = begun.at("lease");
  last_n_ = begun.at("n").get<std::int64_t>();
  while (last_n_ < records) {
    Json list = Json::array();
    while (list.size() < kRecordsPerAppend) list.push_back(imagined.next());
    Json append = {{"run", run_}, {"lease", lease}, {"after", last_n_}};
    append["records"] = std::move(list);
    last_n_ = TRY(hub.call("run.append", std::move(append))).at("n").get<std::int64_t>();
    // As old as the engine's own can be.
    if (last_n_ <= records - kSnapshotEvery) TRY_VOID(snapshots.write({last_n_, imagined.state(), {}}));
  }
  snapshot_ = TRY(files.read(engine::run_directory(subject_.home(), run_) + "/snapshot.json", kRingBytes));
  TRY_VOID(hub.call("run.release", {{"run", run_}, {"lease", lease}}));
  return {};
}

// The hub has its store for itself, so the scan reads a copy.
Result<void> LongRun::keep_copy() {
  subject_.stop_hub();
  for (const char* end : {"", "-wal"}) {
    std::error_code error;
    const std::string from = subject_.home().store_file() + end;
    if (std::filesystem::exists(from)) std::filesystem::copy_file(from, scratch_ + "/scanned.db" + end, error);
    if (error) return fail(Code::failed, fmt::format("cannot copy {}: {}", from, error.message()));
  }
  return subject_.ensure_hub();
}

Result<double> LongRun::scan() {
  sqlite3* database = nullptr;
  const int opened = ::sqlite3_open((scratch_ + "/scanned.db").c_str(), &database);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closes(database, ::sqlite3_close);
  if (opened != SQLITE_OK) return fail(Code::failed, "cannot open the copy of the store");
  const Statement find(database, "SELECT id FROM run WHERE name = ?1");
  ::sqlite3_bind_text(find.get(), 1, run_.c_str(), -1, SQLITE_TRANSIENT);
  if (::sqlite3_step(find.get()) != SQLITE_ROW) return fail(Code::failed, "the copy of the store has no such run");
  const std::int64_t before = monotonic_ns();
  const Statement scan(database, "SELECT n, at_ms, kind, body FROM journal WHERE run = ?1 AND run <> 0 ORDER BY n");
  ::sqlite3_bind_int64(scan.get(), 1, ::sqlite3_column_int64(find.get(), 0));
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  while (::sqlite3_step(scan.get()) == SQLITE_ROW) {
    ++rows;
    bytes += ::sqlite3_column_bytes(scan.get(), 2) + ::sqlite3_column_bytes(scan.get(), 3);
  }
  const double took = static_cast<double>(monotonic_ns() - before) / 1e6;
  if (rows < last_n_ || bytes == 0)
    return fail(Code::failed, fmt::format("the scan found {} records of {}", rows, last_n_));
  return took;
}

Result<double> LongRun::resume(bool with_snapshot) {
  TRY_VOID(subject_.ensure_hub());
  HubConnection hub(subject_.home(), hub::Access::operator_of_home());
  TRY_VOID(hub.call("run.get", {{"run", run_}}));
  const std::string path = engine::run_directory(subject_.home(), run_) + "/snapshot.json";
  auto& files = hub.world().files;
  if (with_snapshot)
    TRY_VOID(files.replace(path, snapshot_, 0600));
  else
    TRY_VOID(files.remove_tree(path));
  workflow::Pinned pinned = endless_checks(run_);
  NoopEffects effects(hub.loop(), false);
  std::optional<Result<void>> over;
  engine::RunHandlers handlers;
  handlers.on_over = [&](const Result<void>& outcome) { over = outcome; };
  engine::SnapshotFile snapshots(files, subject_.home(), run_, workflow::digest(pinned.bundle));
  engine::Run run(hub.world(), hub.client(), std::move(pinned), effects, std::move(handlers),
                  engine::RunSnapshots{std::move(snapshots)});
  const std::int64_t before = monotonic_ns();
  run.resume();
  hub.loop().run_until([&] { return effects.checks() != 0 || over; });
  const double took = static_cast<double>(monotonic_ns() - before) / 1e6;
  if (over && !*over) return fail(over->error());
  run.let_go();
  hub.loop().run_until([&] { return over.has_value(); });
  if (!*over) return fail(over->error());
  return took;
}

Result<double> memory_of_runs(TeamsterSubject& subject, const std::string& scratch, int runs) {
  TRY_VOID(subject.ensure_hub());
  const std::string ready = scratch + "/runs-are-ready";
  std::filesystem::remove(ready);
  auto process = TRY(ChildProcess::run(
      {"/proc/self/exe", kHostsRuns, subject.home().path(), std::to_string(runs), ready}, subject.environment()));
  for (int i = 0; !std::filesystem::exists(ready); ++i) {
    if (!process.is_running() || i > 300'000) return fail(Code::failed, "the process with many runs does not answer");
    ::usleep(100);
  }
  return static_cast<double>(process.memory().resident_bytes);
}

void host_runs_if_asked(int argc, char** argv) {
  if (argc != 5 || std::string_view(argv[1]) != kHostsRuns) return;
  const hub::Home home(argv[2]);
  const int runs = std::atoi(argv[3]);
  HubConnection hub(home, hub::Access::operator_of_home());
  NoopEffects effects(hub.loop(), false);
  std::vector<std::unique_ptr<engine::Run>> all;
  for (int i = 0; i < runs; ++i) {
    workflow::Pinned pinned = ten_checks(new_run_name());
    engine::SnapshotFile snapshots(hub.world().files, home, pinned.run, workflow::digest(pinned.bundle));
    all.push_back(std::make_unique<engine::Run>(hub.world(), hub.client(), std::move(pinned), effects,
                                                engine::RunHandlers{}, engine::RunSnapshots{std::move(snapshots)}));
    all.back()->start("", workflow::event_of(event::Started{}), Json::object());
  }
  hub.loop().run_until([&] { return effects.checks() == runs; });
  std::ofstream(argv[4]).put('\n');
  hub.loop().run();
  ::_exit(0);
}

}  // namespace teamster::bench
