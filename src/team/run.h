// Runs in the journal: the engine starts one, appends records to it under its lease
// (run_lease.h), and others put requests between them. The records of a run are numbered from
// 1 without a gap, in the order of the journal. Pure rules, inside a transaction.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "team/operation.h"

namespace teamster::team {

// args: run, workflow, key?, holder (protocol/words/process_record.h), seconds?, body?
Result<Outcome> start_run(Scene& scene, const Actor& actor, const Json& args);
// args: run, lease, after, records:[{kind, body}]. All of them or none. `after` is the number of
// the last record its writer knows; behind it may only be what others put in (told, renewed).
Result<Outcome> append_to_run(Scene& scene, const Actor& actor, const Json& args);
// args: run, what, body?. Needs no lease.
Result<Outcome> tell_run(Scene& scene, const Actor& actor, const Json& args);
// args: run, after?, limit?, from_others?. Worth waiting while the run goes on.
Result<Outcome> read_run(Scene& scene, const Actor& actor, const Json& args);
// args: all?, after?, limit?
Result<Outcome> list_runs(Scene& scene, const Actor& actor, const Json& args);
// args: run
Result<Outcome> get_run(Scene& scene, const Actor& actor, const Json& args);

}  // namespace teamster::team
