// Leases of runs: which process may append to a run. Each grant has the next number, and a
// write names the number it was granted: an older one is refused, however late it comes. A
// lease is free when its holder released it, is dead as far as can be seen from here, or gave no sign of
// life for its time. Pure rules, inside a transaction.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "store/run_table.h"
#include "team/operation.h"

namespace teamster::team {

// args: run, holder (protocol/words/process_record.h), seconds?
Result<Outcome> lease_run(Scene& scene, const Actor& actor, const Json& args);
// args: run, lease, seconds?
Result<Outcome> renew_lease(Scene& scene, const Actor& actor, const Json& args);
// args: run, lease
Result<Outcome> release_lease(Scene& scene, const Actor& actor, const Json& args);

// Refuses a write whose args.lease is not the newest, or was released.
Result<void> check_lease(const store::RunRow& run, const Json& args);
Result<ProcessIdentity> holder_in(const Json& args);
// args.seconds, or the usual time.
Result<std::int64_t> lease_ms_in(const Json& args);
// Whether the process that has the run still lives. One on another machine or in another pid namespace does until its
// time is up. The run must have a holder.
bool is_holder_alive(Scene& scene, const store::RunRow& run);

}  // namespace teamster::team
