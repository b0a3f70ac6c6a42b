#include "team/run.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/run_name.h"
#include "base/text.h"
#include "protocol/words/run_records.h"
#include "protocol/words/told.h"
#include "team/resolve.h"
#include "team/run_lease.h"

namespace teamster::team {
namespace {

using store::RunRow;

// A record that was checked and waits to be recorded with the others.
struct RecordDraft {
  std::string_view kind;
  std::string text;
  Json needed;  // what the projection reads of it
};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// [a-z]+(\.[a-z_]+)+
bool is_kind(std::string_view text) {
  if (text.empty() || text.size() > limits::kRecordKindMaxBytes || !is_lower(text.front())) return false;
  bool is_first_part = true;
  char before = 0;
  for (const char c : text) {
    if (c == '.' && before == '.') return false;
    if (c == '.')
      is_first_part = false;
    else if (!is_lower(c) && (c != '_' || is_first_part))
      return false;
    before = c;
  }
  return !is_first_part && before != '.';
}

Result<void> check_kind(std::string_view text) {
  if (!is_kind(text))
    return fail(Code::invalid, fmt::format("{} is not the kind of a record", quoted(text, 80)),
                "Use words of a-z and '_' with dots between them, as in step.done");
  if (is_reserved_kind(text)) return fail(Code::invalid, fmt::format("records of the kind {} are the hub's own", text));
  return {};
}

// An object as text; without one the empty object.
Result<std::string> body_text(const Json& object, std::string_view what) {
  const auto body = object.find("body");
  if (body == object.end() || body->is_null()) return std::string("{}");
  if (!body->is_object()) return fail(Code::invalid, fmt::format("the body of {} is not an object", what));
  std::string text = dump_json(*body);
  if (text.size() > limits::kRunRecordMaxBytes)
    return fail(
        Code::invalid,
        fmt::format("the body of {} has {} bytes, the limit is {}", what, text.size(), limits::kRunRecordMaxBytes),
        "Put the content into a file and record its digest");
  return text;
}

// run.ended as the projection needs it.
Result<Json> ended_body(const Json& record) {
  const auto body = record.find("body");
  auto status = body == record.end() ? std::nullopt : RunEnded::optional_status_in(*body);
  if (!status || status->empty() || status->size() > limits::kNameMaxBytes)
    return fail(Code::invalid,
                fmt::format("a run.ended needs a 'status' of 1 to {} bytes in its body", limits::kNameMaxBytes));
  return RunEnded{*std::move(status)}.json();
}

Result<std::vector<RecordDraft>> checked_records(const Json& args) {
  const auto records = args.find("records");
  if (records == args.end() || !records->is_array() || records->empty() ||
      records->size() > limits::kRunRecordsPerAppendMax)
    return fail(Code::invalid,
                fmt::format("'records' is not a list of 1 to {} records", limits::kRunRecordsPerAppendMax));
  std::vector<RecordDraft> drafts;
  for (const auto& record : *records) {
    if (!record.is_object()) return fail(Code::invalid, "a record is not an object with kind and body");
    const auto found = record.find("kind");
    if (found == record.end() || !found->is_string()) return fail(Code::invalid, "a record has no kind");
    if (!drafts.empty() && drafts.back().kind == kind::kRunEnded)
      return fail(Code::invalid, "run.ended is not the last of the records");
    RecordDraft draft;
    draft.kind = found->get_ref<const std::string&>();
    TRY_VOID(check_kind(draft.kind));
    draft.text = TRY(body_text(record, draft.kind));
    if (draft.kind == kind::kRunEnded) draft.needed = TRY(ended_body(record));
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

// What lies behind `after` must be from others: a writer that missed a record of its own
// would decide from an older state.
Result<void> check_after(const RunRow& run, std::int64_t after) {
  if (after > run.last_n)
    return fail(Code::refused, fmt::format("run {} has no record {}: its last is {}", run.name, after, run.last_n),
                "Read its events and append after the last");
  if (after < run.own_n)
    return fail(Code::refused, fmt::format("run {} goes on after record {}, up to {}", run.name, after, run.own_n),
                "Read its events and append after the last");
  return {};
}

Result<void> refuse_second_run(Scene& scene, const std::string& workflow, const std::string& key) {
  const auto other = TRY(scene.tables().runs.find_live(workflow, key));
  if (!other) return {};
  return fail(Code::refused,
              fmt::format("workflow {} runs already for {}: it is run {}", workflow, quoted(key, 80), other->name),
              fmt::format("See `teamster status {0}`, or go on with `teamster resume {0}`", other->name));
}

// In the order of their names, as a reader puts them.
std::string run_text(Scene& scene, const RunRow& run, const std::string& body = {}) {
  JsonObjectText out;
  if (!body.empty()) out.add_json("body", body);
  if (run.ended) out.add("ended", to_iso8601(*run.ended));
  if (run.holder) {
    JsonObjectText holder;
    holder.add_json("alive", is_holder_alive(scene, run) ? "true" : "false");
    holder.add("pid", run.holder->pid).add("until", to_iso8601(run.lease_until()));
    out.add_json("holder", holder.take());
  } else {
    out.add_null("holder");
  }
  run.key ? out.add("key", *run.key) : out.add_null("key");
  out.add("lease", run.lease.value).add("n", run.last_n).add("run", run.name).add("started", to_iso8601(run.started));
  if (run.ended) out.add("status", run.status);
  out.add("workflow", run.workflow);
  return out.take();
}

void append_record(std::string& list, const store::NumberedRecord& record) {
  list += list.empty() ? '[' : ',';
  list += R"({"at":")";
  list += to_iso8601(record.at);
  list += R"(","body":)";
  list += record.body;
  list += R"(,"kind":)";
  append_json_string(list, record.kind);
  list += R"(,"n":)";
  list += std::to_string(record.n);
  list += R"(,"seq":)";
  list += std::to_string(record.seq.value);
  list += '}';
}

Result<std::size_t> limit_in(const Json& args) {
  const auto limit = TRY(optional_integer_field(args, "limit")).value_or(limits::kPageMaxRows);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 1, limits::kPageMaxRows));
}

}  // namespace

Result<Outcome> start_run(Scene& scene, const Actor& actor, const Json& args) {
  const RunName name = TRY(RunName::parse(TRY(string_field(args, "run"))));
  RunStarted started{.run = name.text(), .workflow = {}, .holder = {}};
  started.workflow = TRY(string_field(args, "workflow"));
  if (started.workflow != name.workflow())
    return fail(Code::invalid, fmt::format("{} is no run of workflow {}", name.text(), quoted(started.workflow, 80)));
  started.key = TRY(optional_string_field(args, "key"));
  const auto& key = started.key;
  if (key && (key->empty() || key->size() > limits::kKeyMaxBytes))
    return fail(Code::invalid, fmt::format("'key' has not 1 to {} bytes", limits::kKeyMaxBytes));
  started.holder = TRY(holder_in(args));
  started.lease_ms = TRY(lease_ms_in(args));
  TRY_VOID(body_text(args, "run.started"));
  if (const auto given = args.find("body"); given != args.end() && !given->is_null()) started.body = *given;
  if (TRY(scene.tables().runs.find(name.text())))
    return fail(Code::refused, fmt::format("run {} exists already", name.text()), "Start it under another name");
  if (key) TRY_VOID(refuse_second_run(scene, started.workflow, *key));
  const auto n = TRY(scene.store.record_of_run(std::move(started), RunId(), actor.name));
  return Outcome{JsonObjectText().add("lease", 1).add("n", n).add("run", name.text()).take(), {}, {}};
}

Result<Outcome> append_to_run(Scene& scene, const Actor& actor, const Json& args) {
  const auto run = TRY(resolve_live_run(scene, args));
  TRY_VOID(check_lease(run, args));
  TRY_VOID(check_after(run, TRY(integer_field(args, "after"))));
  auto drafts = TRY(checked_records(args));
  std::int64_t n = 0;
  for (auto& draft : drafts)
    n = TRY(scene.store.record_of_run(draft.kind, run.id, actor.name, std::move(draft.needed), std::move(draft.text)));
  return Outcome{JsonObjectText().add("n", n).take(), {}, {}};
}

// A run that went wrong can go on. One that is done has nothing to do, and what a person has cancelled stays so.
Result<RunRow> run_to_reopen(Scene& scene, const Json& args) {
  auto run = TRY(resolve_run(scene, args));
  if (!run.ended) return run;
  if (run.status != "blocked" && run.status != "failed")
    return fail(Code::refused, fmt::format("run {} has ended: {}", run.name, run.status),
                "Only a blocked or failed run can be reopened; start a new one with `teamster run`");
  if (run.key) TRY_VOID(refuse_second_run(scene, run.workflow, *run.key));
  return run;
}

Result<Outcome> tell_run(Scene& scene, const Actor& actor, const Json& args) {
  TRY_VOID(resolve_run(scene, args));
  const auto what = TRY(string_field(args, "what"));
  const bool reopens = what == told::kReopen;
  const auto run = reopens ? TRY(run_to_reopen(scene, args)) : TRY(resolve_live_run(scene, args));
  if (what.empty() || what.size() > limits::kRecordKindMaxBytes ||
      !std::all_of(what.begin(), what.end(), [](char c) { return is_lower(c) || c == '_'; }))
    return fail(Code::invalid, fmt::format("{} is nothing to tell a run", quoted(what, 80)),
                "Use a word of a-z and '_', as in cancel");
  const std::string body = TRY(body_text(args, what));
  std::string text = run_told_text(what, body);
  Json needed = reopens ? Json{{"what", what}} : Json();
  const auto n = TRY(scene.store.record_of_run(kind::kRunTold, run.id, actor.name, std::move(needed), std::move(text)));
  return Outcome{JsonObjectText().add("n", n).take(), {}, {}};
}

Result<Outcome> read_run(Scene& scene, const Actor&, const Json& args) {
  const auto run = TRY(resolve_run(scene, args));
  store::RunCursor range;
  range.after = TRY(optional_integer_field(args, "after")).value_or(0);
  range.limit = TRY(limit_in(args));
  range.from_others = TRY(flag_field(args, "from_others"));
  // In one piece: a journal may have a million records.
  std::string events;
  const auto page = TRY(scene.store.run_records(
      run.id, range, [&](const store::NumberedRecord& record) { append_record(events, record); }));
  events += events.empty() ? "[]" : "]";
  JsonObjectText answer;
  answer.add_json("ended", run.ended ? "true" : "false").add("last", page.last);
  answer.add_json("more", page.more ? "true" : "false");
  // At the end: who has read so far can ask for the next page before it reads this one.
  answer.add_json("events", events);
  Outcome outcome{answer.take(), {}, {}};
  if (page.is_empty && !run.ended)
    outcome.empty_until = {range.from_others ? Topic::told(run.id) : Topic::records(run.id)};
  return outcome;
}

Result<Outcome> list_runs(Scene& scene, const Actor&, const Json& args) {
  const bool all = TRY(flag_field(args, "all"));
  const RunId after(TRY(optional_integer_field(args, "after")).value_or(0));
  const auto limit = TRY(limit_in(args));
  const auto rows = TRY(scene.tables().runs.page(all, after, limit));
  std::string runs = "[";
  for (const auto& row : rows) {
    if (runs.size() > 1) runs += ',';
    runs += run_text(scene, row);
  }
  JsonObjectText answer;
  rows.size() == limit ? answer.add("next", rows.back().id.value) : answer.add_null("next");
  answer.add_json("runs", runs + "]");
  return Outcome{answer.take(), {}, {}};
}

Result<Outcome> get_run(Scene& scene, const Actor&, const Json& args) {
  const auto run = TRY(resolve_run(scene, args));
  const auto started = TRY(scene.store.event(Seq(run.id.value)));
  if (!started || RunStarted::body_in(started->body).is_null())
    return fail(Code::internal, fmt::format("run {} has no beginning", run.name));
  return Outcome{run_text(scene, run, dump_json(RunStarted::body_in(started->body))), {}, {}};
}

}  // namespace teamster::team
