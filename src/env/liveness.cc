#include "env/liveness.h"

namespace teamster::env {
namespace {

bool is_of_first_namespaces(const ProcessIdentity& a, const ProcessIdentity& b) {
  return a.pid_namespace == kFirstPidNamespace && b.pid_namespace == kFirstPidNamespace;
}

}  // namespace

Liveness liveness_of(Processes& processes, const ProcessIdentity& process) {
  return liveness_of(processes, process, processes.self());
}

Liveness liveness_of(Processes& processes, const ProcessIdentity& process, const ProcessIdentity& here) {
  const bool is_of_older_program = process.pid_namespace == 0;
  const bool is_of_this_boot = process.boot_id == here.boot_id;
  if (is_of_older_program || (is_of_this_boot && process.pid_namespace == here.pid_namespace))
    return processes.is_alive(process) ? Liveness::alive : Liveness::dead;
  const bool is_of_this_machine = !process.machine_id.empty() && process.machine_id == here.machine_id;
  if (!is_of_this_boot && is_of_this_machine && is_of_first_namespaces(process, here)) return Liveness::dead;
  return Liveness::elsewhere;
}

}  // namespace teamster::env
