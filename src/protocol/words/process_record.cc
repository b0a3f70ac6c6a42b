#include "protocol/words/process_record.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"

namespace teamster {
namespace {

std::uint64_t unsigned_in(const Json& object, std::string_view name) {
  const Json& value = field_in(object, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

}  // namespace

Json holder_argument(const ProcessIdentity& process) {
  Json argument = {{"pid", process.pid}, {"start", process.start_ticks}, {"boot", process.boot_id}};
  if (!process.machine_id.empty()) argument["machine"] = process.machine_id;
  if (process.pid_namespace != 0) argument["pid_namespace"] = process.pid_namespace;
  return argument;
}

Result<ProcessIdentity> read_holder_argument(const Json& argument) {
  if (!argument.is_object()) return fail(Code::invalid, "field 'holder' is not an object with pid, start and boot");
  ProcessIdentity process;
  process.pid = TRY(integer_field(argument, "pid"));
  const auto start = TRY(integer_field(argument, "start"));
  process.boot_id = TRY(string_field(argument, "boot"));
  process.machine_id = TRY(optional_string_field(argument, "machine")).value_or("");
  const auto pid_namespace = TRY(optional_integer_field(argument, "pid_namespace")).value_or(0);
  if (process.pid < 1 || start < 0 || process.boot_id.empty() || process.boot_id.size() > limits::kNameMaxBytes ||
      process.machine_id.size() > limits::kNameMaxBytes || pid_namespace < 0)
    return fail(Code::invalid, "'holder' does not describe a process");
  process.start_ticks = static_cast<std::uint64_t>(start);
  process.pid_namespace = static_cast<std::uint64_t>(pid_namespace);
  return process;
}

Json process_record(const ProcessIdentity& process) {
  Json record = {{"pid", process.pid}, {"start_ticks", process.start_ticks}, {"boot_id", process.boot_id}};
  if (!process.machine_id.empty()) record["machine_id"] = process.machine_id;
  if (process.pid_namespace != 0) record["pid_namespace"] = process.pid_namespace;
  return record;
}

std::optional<ProcessIdentity> read_process_record(const Json& record) {
  if (!record.is_object()) return std::nullopt;
  return ProcessIdentity{number_in(record, "pid"), unsigned_in(record, "start_ticks"), raw_text_in(record, "boot_id"),
                         raw_text_in(record, "machine_id"), unsigned_in(record, "pid_namespace")};
}

}  // namespace teamster
