// A process as it is written down: in requests to the hub, which are a protocol, and in records, which are a format.
// Fields that older programs did not write are left out and read as unknown. Pure functions.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/process_identity.h"
#include "base/result.h"

namespace teamster {

// In requests: {pid, start, boot, machine?, pid_namespace?}.
Json holder_argument(const ProcessIdentity& process);
Result<ProcessIdentity> read_holder_argument(const Json& argument);

// In records: {pid, start_ticks, boot_id, machine_id?, pid_namespace?}.
Json process_record(const ProcessIdentity& process);
// nullopt for what is no object. What is missing in it stays unknown.
std::optional<ProcessIdentity> read_process_record(const Json& record);

}  // namespace teamster
