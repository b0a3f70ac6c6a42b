#include "protocol/client/hub_calls.h"

#include "protocol/client/call_fields.h"

namespace teamster::hub {

Result<HubStatus> GetHubStatus::read(const Json& answer) {
  const Json& store = object_in(answer, "store");
  HubStatus status;
  status.pid = TRY(integer_field(answer, "pid"));
  status.version = raw_text_in(answer, "version");
  status.home = raw_text_in(answer, "home");
  status.uptime = std::chrono::milliseconds(number_in(answer, "uptime_ms"));
  status.connections = number_in(answer, "connections");
  status.parked = number_in(answer, "parked");
  status.requests = number_in(answer, "requests");
  status.commits = number_in(answer, "commits");
  status.rss_bytes = number_in(answer, "rss_bytes");
  status.store_format = number_in(store, "format");
  status.store_events = number_in(store, "events");
  status.store_bytes = number_in(store, "bytes");
  return status;
}

Json CheckStore::arguments() && {
  Json args = Json::object();
  put_flag(args, "rebuild", rebuild);
  return args;
}

Result<CheckStore::Answer> CheckStore::read(const Json& answer) {
  return Answer{flag_in(answer, "ok"), number_in(answer, "events"), texts_in(answer, "problems")};
}

Json ReadJournal::arguments() && {
  Json args = Json::object();
  put_name(args, "team", std::move(team));
  put_after(args, after);
  put(args, "limit", limit);
  return args;
}

Result<ReadJournal::Answer> ReadJournal::read(Json answer) {
  Json events = TRY(take_list(answer, kItems));
  Answer page;
  page.items.reserve(events.size());
  for (auto& each : events) {
    JournalEvent event;
    event.seq = Seq(TRY(integer_field(each, "seq")));
    event.kind = TRY(string_field(each, "kind"));
    event.at = time_in(each, "at").value_or(WallTime{});
    event.team = raw_text_in(each, "team");
    event.actor = raw_text_in(each, "actor");
    event.run = raw_text_in(each, "run");
    event.n = number_in(each, "n");
    if (const auto body = each.find("body"); body != each.end()) event.body = std::move(*body);
    page.items.push_back(std::move(event));
  }
  page.last = number_in(answer, "last");
  if (flag_in(answer, "more")) page.next = page.last;
  return page;
}

Result<EventDocuments> EventDocuments::read(Json answer) {
  EventDocuments page;
  page.events = TRY(take_list(answer, ReadJournal::kItems));
  page.has_more = flag_in(answer, "more");
  page.has_ended = flag_in(answer, "ended");
  page.last = TRY(integer_field(answer, "last"));
  return page;
}

Json CollectGarbage::arguments() && {
  Json args = {{"older_than_ms", to_ms(older_than)}};
  put_flag(args, "dry_run", dry_run);
  return args;
}

Result<CollectGarbage::Answer> CollectGarbage::read(const Json& answer) {
  return Answer{texts_in(answer, "teams"), texts_in(answer, "runs"), number_in(answer, "events"),
                flag_in(answer, "done")};
}

}  // namespace teamster::hub
