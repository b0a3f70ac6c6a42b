#include "team/run_lease.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "env/liveness.h"
#include "protocol/words/process_record.h"
#include "protocol/words/run_records.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

bool is_elsewhere(Scene& scene, const store::RunRow& run) {
  return env::liveness_of(scene.processes, *run.holder) == env::Liveness::elsewhere;
}

// Why `holder` may have the lease now, or nullopt when another has it.
std::optional<std::string> reason_to_grant(Scene& scene, const store::RunRow& run, const ProcessIdentity& holder) {
  if (!run.holder) return "nobody had it";
  if (is_same_process(*run.holder, holder)) return "its holder asked again";
  if (env::liveness_of(scene.processes, *run.holder) == env::Liveness::dead)
    return fmt::format("its holder, process {}, is gone", run.holder->pid);
  if (run.lease_until() <= scene.now())
    return fmt::format("its holder, process {}, gave no sign of life in time", run.holder->pid);
  return std::nullopt;
}

Error held(Scene& scene, const store::RunRow& run) {
  const std::string until = to_iso8601(run.lease_until());
  if (is_elsewhere(scene, run))
    return {
        Code::refused,
        fmt::format("run {} is held by process {} of another machine or container until {}", run.name, run.holder->pid,
                    until),
        fmt::format("Watch it with `teamster watch {}`. Whether it lives cannot be seen from here: end it there, or "
                    "wait until its time is up",
                    run.name)};
  return {Code::refused, fmt::format("run {} is held by process {} until {}", run.name, run.holder->pid, until),
          fmt::format("Watch it with `teamster watch {}`. If it hangs, end process {}: then the run can be "
                      "taken over at once",
                      run.name, run.holder->pid)};
}

}  // namespace

bool is_holder_alive(Scene& scene, const store::RunRow& run) {
  const auto liveness = env::liveness_of(scene.processes, *run.holder);
  if (liveness == env::Liveness::elsewhere) return run.lease_until() > scene.now();
  return liveness == env::Liveness::alive;
}

Result<ProcessIdentity> holder_in(const Json& args) {
  const auto holder = args.find("holder");
  return read_holder_argument(holder == args.end() ? Json() : *holder);
}

Result<std::int64_t> lease_ms_in(const Json& args) {
  const auto seconds = TRY(optional_integer_field(args, "seconds"));
  if (!seconds) return to_ms(limits::kRunLease);
  constexpr std::int64_t kMsPerSecond = 1000;
  const std::int64_t most = to_ms(limits::kRunLeaseMax) / kMsPerSecond;
  if (*seconds < 1 || *seconds > most)
    return fail(Code::invalid, fmt::format("'seconds' is not a number from 1 to {}", most));
  return *seconds * kMsPerSecond;
}

Result<void> check_lease(const store::RunRow& run, const Json& args) {
  const auto lease = TRY(integer_field(args, "lease"));
  if (lease == run.lease.value && run.holder) return {};
  if (lease > run.lease.value || lease < 1)
    return fail(Code::refused,
                fmt::format("run {} has no lease {}: the newest is {}", run.name, lease, run.lease.value));
  if (lease == run.lease.value)
    return fail(Code::refused, fmt::format("lease {} of run {} was released", lease, run.name),
                fmt::format("Go on with `teamster resume {}`", run.name));
  const std::string by = run.holder ? fmt::format(", held by process {}", run.holder->pid) : "";
  return fail(Code::refused,
              fmt::format("lease {} of run {} is over: the newest is {}{}", lease, run.name, run.lease.value, by),
              "Another process carries on; end this one");
}

Result<Outcome> lease_run(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  auto holder = TRY(holder_in(args));
  const auto lease_ms = TRY(lease_ms_in(args));
  auto why = reason_to_grant(scene, run, holder);
  if (!why) return fail(held(scene, run));
  const Lease lease(run.lease.value + 1);
  RunLeased leased{lease, std::move(holder), lease_ms, *std::move(why)};
  const auto n = TRY(scene.store.record_of_run(std::move(leased), run.id, actor.name));
  return Outcome{JsonObjectText().add("lease", lease.value).add("n", n).take(), {}, {}};
}

Result<Outcome> renew_lease(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  TRY_VOID(check_lease(run, args));
  const auto lease_ms = TRY(lease_ms_in(args));
  WallTime until = run.lease_until();
  // Recorded only when much of the time is gone, so that a run which waits for days leaves few of them.
  if (until.unix_ms < scene.now().unix_ms + lease_ms / 2) {
    TRY_VOID(scene.store.record_of_run(RunRenewed{run.lease, lease_ms}, run.id, actor.name));
    until = WallTime{scene.now().unix_ms + lease_ms};
  }
  return Outcome{JsonObjectText().add("lease", run.lease.value).add("until", to_iso8601(until)).take(), {}, {}};
}

Result<Outcome> release_lease(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  TRY_VOID(check_lease(run, args));
  const auto n = TRY(scene.store.record_of_run(RunReleased{run.lease}, run.id, actor.name));
  return Outcome{JsonObjectText().add("lease", run.lease.value).add("n", n).take(), {}, {}};
}

}  // namespace teamster::team
