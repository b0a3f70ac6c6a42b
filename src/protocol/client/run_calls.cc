#include "protocol/client/run_calls.h"

#include "protocol/client/call_fields.h"
#include "protocol/words/process_record.h"

namespace teamster::hub {
namespace {

std::int64_t seconds_of(Duration span) { return std::chrono::duration_cast<std::chrono::seconds>(span).count(); }

Result<GrantedLease> read_grant(const Json& answer) {
  GrantedLease grant;
  grant.lease = Lease(TRY(integer_field(answer, "lease")));
  grant.n = TRY(integer_field(answer, "n"));
  return grant;
}

Result<WrittenRecord> read_written(const Json& answer) {
  const auto n = TRY(integer_field(answer, "n"));
  return WrittenRecord{n};
}

Result<RunJournalEvent> read_event(Json event) {
  RunJournalEvent out;
  out.n = TRY(integer_field(event, "n"));
  out.kind = TRY(string_field(event, "kind"));
  out.seq = Seq(number_in(event, "seq"));
  out.at = time_in(event, "at").value_or(WallTime{});
  const auto body = event.find("body");
  if (body == event.end()) return fail(Code::internal, "a record has no body");
  out.body = std::move(*body);
  return out;
}

}  // namespace

Json StartRun::arguments() && {
  Json args = {{"run", std::move(run)}, {"workflow", std::move(workflow)}, {"seconds", seconds_of(lease_time)}};
  put_name(args, "key", std::move(key));
  args["holder"] = holder_argument(holder);
  args["body"] = std::move(body);
  return args;
}

Result<GrantedLease> StartRun::read(const Json& answer) { return read_grant(answer); }

Json LeaseRun::arguments() && {
  Json args = {{"run", std::move(run)}, {"seconds", seconds_of(lease_time)}};
  args["holder"] = holder_argument(holder);
  return args;
}

Result<GrantedLease> LeaseRun::read(const Json& answer) { return read_grant(answer); }

Json RenewLease::arguments() && {
  return {{"run", std::move(run)}, {"lease", lease.value}, {"seconds", seconds_of(lease_time)}};
}

Result<RenewLease::Answer> RenewLease::read(const Json& answer) {
  const Lease lease(TRY(integer_field(answer, "lease")));
  return Answer{lease, time_in(answer, "until")};
}

Json ReleaseLease::arguments() && { return {{"run", std::move(run)}, {"lease", lease.value}}; }

Result<GrantedLease> ReleaseLease::read(const Json& answer) { return read_grant(answer); }

Json AppendToRun::arguments() && {
  Json list = Json::array();
  for (auto& record : records) {
    Json entry = {{"kind", std::move(record.kind)}};
    entry["body"] = std::move(record.body);
    list.push_back(std::move(entry));
  }
  Json args = {{"run", std::move(run)}, {"lease", lease.value}, {"after", after}};
  args["records"] = std::move(list);
  return args;
}

Result<WrittenRecord> AppendToRun::read(const Json& answer) { return read_written(answer); }

Json TellRun::arguments() && {
  Json args = {{"run", std::move(run)}, {"what", std::move(what)}};
  args["body"] = std::move(body);
  return args;
}

Result<WrittenRecord> TellRun::read(const Json& answer) { return read_written(answer); }

Json ReadRun::arguments() && {
  Json args = {{"run", std::move(run)}};
  put_after(args, after);
  put(args, "limit", limit);
  put_flag(args, "from_others", from_others);
  return args;
}

Result<ReadRun::Answer> ReadRun::read(Json answer) {
  Json events = TRY(take_list(answer, "events"));
  Answer page;
  page.items.reserve(events.size());
  for (auto& event : events) page.items.push_back(TRY(read_event(std::move(event))));
  page.has_ended = flag_in(answer, "ended");
  page.last = TRY(integer_field(answer, "last"));
  if (flag_in(answer, "more")) page.next = page.last;
  return page;
}

Json ListRuns::arguments() && {
  Json args = Json::object();
  put_flag(args, "all", all);
  put_after(args, after);
  put(args, "limit", limit);
  return args;
}

Result<ListedRun> ListRuns::read_item(const Json& item) {
  ListedRun run;
  run.run = TRY(string_field(item, "run"));
  run.workflow = raw_text_in(item, "workflow");
  run.key = optional_text_in(item, "key");
  run.started = time_in(item, "started");
  run.ended = time_in(item, "ended");
  run.status = raw_text_in(item, "status");
  if (const Json& holder = object_in(item, "holder"); !holder.empty())
    run.holder = RunHolder{number_in(holder, "pid"), flag_in(holder, "alive"), time_in(holder, "until")};
  run.lease = Lease(number_in(item, "lease"));
  run.n = number_in(item, "n");
  return run;
}

Result<ListRuns::Answer> ListRuns::read(const Json& answer) {
  Answer page;
  for (const auto& item : list_in(answer, kItems)) page.items.push_back(TRY(read_item(item)));
  page.next = next_in(answer);
  return page;
}

Json GetRun::arguments() && { return {{"run", std::move(run)}}; }

Result<GetRun::Answer> GetRun::read(Json answer) {
  Answer out;
  out.run = TRY(ListRuns::read_item(answer));
  const auto body = answer.find("body");
  out.body = body == answer.end() ? Json::object() : std::move(*body);
  return out;
}

}  // namespace teamster::hub
