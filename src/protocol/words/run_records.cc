#include "protocol/words/run_records.h"

#include "base/json_fields.h"
#include "base/json_text.h"
#include "protocol/words/process_record.h"

namespace teamster {
namespace {

ProcessIdentity holder_in(const Json& record) {
  return read_process_record(record.at("holder")).value_or(ProcessIdentity{});
}

}  // namespace

Json RunStarted::json() && {
  Json record = {{"run", std::move(run)}, {"workflow", std::move(workflow)}, {"lease_ms", lease_ms}};
  if (key) record["key"] = *std::move(key);
  record["holder"] = process_record(holder);
  record["body"] = std::move(body);
  return record;
}

RunStarted RunStarted::read(const Json& record) {
  RunStarted started{.run = record.at("run").get<std::string>(),
                     .workflow = record.at("workflow").get<std::string>(),
                     .holder = holder_in(record),
                     .lease_ms = record.at("lease_ms").get<std::int64_t>()};
  if (record.contains("key")) started.key = record["key"].get<std::string>();
  return started;
}

const Json& RunStarted::body_in(const Json& record) { return field_in(record, "body"); }

Json RunLeased::json() && {
  Json record = {{"lease", lease.value}, {"lease_ms", lease_ms}, {"why", std::move(why)}};
  record["holder"] = process_record(holder);
  return record;
}

RunLeased RunLeased::read(const Json& record) {
  return {Lease(record.at("lease").get<std::int64_t>()), holder_in(record), record.at("lease_ms").get<std::int64_t>(),
          raw_text_in(record, "why")};
}

Lease RunLeased::lease_in(const Json& record) { return Lease(number_in(record, "lease")); }

Json RunRenewed::json() && { return {{"lease", lease.value}, {"lease_ms", lease_ms}}; }

std::int64_t RunRenewed::lease_ms_in(const Json& record) { return record.at("lease_ms").get<std::int64_t>(); }

Json RunReleased::json() && { return {{"lease", lease.value}}; }

RunTold RunTold::read(const Json& record) { return {raw_text_in(record, "what"), object_in(record, "body")}; }

std::string run_told_text(std::string_view what, std::string_view body) {
  return JsonObjectText().add_json("body", body).add("what", what).take();
}

Json RunEnded::json() && { return {{"status", std::move(status)}}; }

std::string RunEnded::status_in(const Json& record) { return record.at("status").get<std::string>(); }

std::optional<std::string> RunEnded::optional_status_in(const Json& record) {
  const Json& status = field_in(record, "status");
  return status.is_string() ? std::optional(status.get<std::string>()) : std::nullopt;
}

}  // namespace teamster
