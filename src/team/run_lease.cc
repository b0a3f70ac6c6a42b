#include "team/run_lease.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "team/resolve.h"
#include "team/roster.h"

namespace teamster::team {
namespace {

namespace kind = store::kind;

// Why `holder` may have the lease now, or nullopt when another has it.
std::optional<std::string> reason_to_grant(Scene& scene, const store::RunRow& run, const std::string& holder) {
  if (run.holder.empty()) return "nobody had it";
  if (run.holder == holder) return "its holder asked again";
  if (!is_owner_alive(scene.processes, run.holder))
    return fmt::format("its holder, process {}, is gone", pid_of_holder(run.holder));
  if (run.lease_until() <= scene.now())
    return fmt::format("its holder, process {}, gave no sign of life in time", pid_of_holder(run.holder));
  return std::nullopt;
}

}  // namespace

Result<Json> holder_in(const Json& args) {
  const auto holder = args.find("holder");
  if (holder == args.end() || !holder->is_object())
    return fail(Code::invalid, "field 'holder' is not an object with pid, start and boot");
  const auto pid = TRY(integer_field(*holder, "pid"));
  const auto start = TRY(integer_field(*holder, "start"));
  const auto boot = TRY(string_field(*holder, "boot"));
  if (pid < 1 || start < 0 || boot.empty() || boot.size() > limits::kNameMaxBytes)
    return fail(Code::invalid, "'holder' does not describe a process");
  return Json{{"pid", pid}, {"start_ticks", start}, {"boot_id", boot}};
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

std::int64_t pid_of_holder(const std::string& holder) {
  const auto parsed = parse_json(holder);
  return parsed && parsed->is_object() ? parsed->value("pid", std::int64_t{0}) : 0;
}

Result<void> check_lease(const store::RunRow& run, const Json& args) {
  const auto lease = TRY(integer_field(args, "lease"));
  if (lease == run.lease.value && !run.holder.empty()) return {};
  if (lease > run.lease.value || lease < 1)
    return fail(Code::refused,
                fmt::format("run {} has no lease {}: the newest is {}", run.name, lease, run.lease.value));
  if (lease == run.lease.value)
    return fail(Code::refused, fmt::format("lease {} of run {} was released", lease, run.name),
                fmt::format("Go on with `teamster resume {}`", run.name));
  const std::string by = run.holder.empty() ? "" : fmt::format(", held by process {}", pid_of_holder(run.holder));
  return fail(Code::refused,
              fmt::format("lease {} of run {} is over: the newest is {}{}", lease, run.name, run.lease.value, by),
              "Another process carries on; end this one");
}

Result<Outcome> lease_run(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  Json holder = TRY(holder_in(args));
  const auto lease_ms = TRY(lease_ms_in(args));
  const auto why = reason_to_grant(scene, run, dump_json(holder));
  if (!why)
    return fail(Code::refused,
                fmt::format("run {} is held by process {} until {}", run.name, pid_of_holder(run.holder),
                            to_iso8601(run.lease_until())),
                fmt::format("Watch it with `teamster watch {}`. If it hangs, end process {}: then the run can be "
                            "taken over at once",
                            run.name, pid_of_holder(run.holder)));
  const std::int64_t lease = run.lease.value + 1;
  Json body = {{"lease", lease}, {"lease_ms", lease_ms}, {"why", *why}};
  body["holder"] = std::move(holder);
  const auto n = TRY(scene.store.record_of_run(kind::kRunLeased, run.id, actor.name, std::move(body)));
  return Outcome{JsonObjectText().add("lease", lease).add("n", n).take(), {}, {}};
}

Result<Outcome> renew_lease(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  TRY_VOID(check_lease(run, args));
  const auto lease_ms = TRY(lease_ms_in(args));
  WallTime until = run.lease_until();
  // Recorded only when much of the time is gone, so that a run which waits for days leaves few of them.
  if (until.unix_ms < scene.now().unix_ms + lease_ms / 2) {
    TRY_VOID(scene.store.record_of_run(kind::kRunRenewed, run.id, actor.name,
                                       {{"lease", run.lease.value}, {"lease_ms", lease_ms}}));
    until = WallTime{scene.now().unix_ms + lease_ms};
  }
  return Outcome{JsonObjectText().add("lease", run.lease.value).add("until", to_iso8601(until)).take(), {}, {}};
}

Result<Outcome> release_lease(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  TRY_VOID(check_lease(run, args));
  const auto n = TRY(scene.store.record_of_run(kind::kRunReleased, run.id, actor.name, {{"lease", run.lease.value}}));
  return Outcome{JsonObjectText().add("lease", run.lease.value).add("n", n).take(), {}, {}};
}

}  // namespace teamster::team
