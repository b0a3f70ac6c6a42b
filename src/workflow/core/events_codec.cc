// How events are written in a run's records: docs/formats/run.md. The names of their fields are here and nowhere else.
#include "workflow/core/events.h"
#include "workflow/core/record_fields.h"

namespace teamster::workflow {

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::LedgerAnswer>& answer) {
  fields.always("value", answer.value);
  fields.always("sequence", answer.sequence);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Resumption>& resume) {
  fields.always("phase", resume.phase);
  fields.always("loops", resume.loops);
  fields.always("answers", resume.answers);
  fields.always("next_sequence", resume.next_sequence);
  fields.unless_empty("foreign", resume.foreign);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Started>& body) {
  fields.unless_empty("entry", body.entry);
  fields.unless_empty("args", body.args);
  fields.unless_empty("flags", body.flags);
  fields.unless_empty("values", body.values);
  fields.unless_empty("skills", body.skills);
  fields.unless_empty("people", body.people);
  fields.unless_empty("at_s", body.at_s);
  fields.unless_empty("temporary", body.temporary);
  fields.unless_empty("configuration", body.configuration);
  fields.unless_empty("resume", body.resume);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::TeamReady>& body) {
  fields.always("team", body.team);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::ForcedMember>& forced) {
  fields.always("member", forced.member);
  fields.unless_empty("pid", forced.pid);
  fields.unless_empty("why", forced.why);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::TeamGone>& body) {
  fields.always("team", body.team);
  fields.unless_empty("forced", body.forced);
  fields.unless_empty("left", body.left);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::MemberLost>& body) {
  fields.always("member", body.member);
  fields.always("why", body.why);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::MemberStrayed>& body) {
  fields.always("member", body.member);
  fields.always("paths", body.paths);
  fields.unless_empty("aside", body.aside);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::TurnUsage>& usage) {
  fields.unless_empty("turns", usage.turns);
  fields.always("input_tokens", usage.input_tokens);
  fields.when(!usage.turns || usage.output_tokens != 0, "output_tokens", usage.output_tokens);
  fields.unless_empty("cache_read_tokens", usage.cache_read_tokens);
  fields.unless_empty("cache_write_tokens", usage.cache_write_tokens);
  fields.unless_empty("cost_usd", usage.cost_usd);
  fields.unless_empty("duration_ms", usage.duration_ms);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Spoken>& spoken) {
  fields.unless_empty("told", spoken.told);
  fields.unless_empty("by", spoken.by);
  fields.unless_empty("how", spoken.how);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Strayed>& strayed) {
  fields.always("paths", strayed.paths);
  fields.unless_empty("aside", strayed.aside);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Done>& body) {
  fields.always("answer", body.answer);
  fields.unless_empty("usage", body.usage);
  fields.unless_empty("member", body.member);
  fields.unless_empty("restarts", body.restarts);
  fields.unless_empty("tasks_left", body.tasks_left);
  fields.unless_empty("tasks", body.tasks);
  describe(fields, body.spoken);
  fields.unless_empty("note", body.note);
  fields.unless_empty("strayed", body.strayed);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Failed>& body) {
  fields.always("fault", body.fault);
  fields.always("error", body.error);
  fields.unless_empty("usage", body.usage);
  fields.unless_empty("member", body.member);
  fields.unless_empty("restarts", body.restarts);
  fields.unless_empty("strayed", body.strayed);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Due>& body) {
  fields.always("what", body.what);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::CancelAsked>& body) {
  describe(fields, body.spoken);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Asked>& body) {
  fields.always("member", body.member);
  fields.always("team", body.team);
  fields.always("message", body.message);
  fields.always("text", body.text);
  fields.unless_empty("options", body.options);
  fields.unless_empty("expertise", body.expertise);
  fields.unless_empty("reason", body.reason);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Adjusted>& body) {
  fields.unless_empty("configuration", body.configuration);
  fields.unless_empty("values", body.values);
  fields.unless_empty("budget", body.budget);
  describe(fields, body.spoken);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Reopened>& body) {
  fields.unless_empty("from", body.from);
  describe(fields, body.spoken);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Declined>& body) {
  fields.always("why", body.why);
  describe(fields, body.spoken);
}

template <class Fields>
void describe(Fields&, typename Fields::template Of<event::OutcomeUnknown>&) {}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Decided>& body) {
  fields.always("decision", body.decision);
  describe(fields, body.spoken);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<event::Ended>& body) {
  fields.always("status", body.status);
  fields.always("reason", body.reason);
}

namespace {

// What events of every kind may say, and so those of kinds that are not known, too.
struct OfAnyKind {
  std::optional<event::TurnUsage> usage = {};
  std::int64_t told = 0;
  Json more = {};
};

}  // namespace

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<OfAnyKind>& body) {
  fields.unless_empty("usage", body.usage);
  fields.unless_empty("told", body.told);
}

std::string_view kind_of(const EventBody& body) { return kind_in(body); }

std::optional<event::TurnUsage> usage_of(const EventBody& body) {
  return std::visit(
      [](const auto& known) -> std::optional<event::TurnUsage> {
        if constexpr (requires { known.usage; }) return known.usage;
        if constexpr (requires { known.fields; }) return FieldReader::body<OfAnyKind>(known.fields).usage;
        return std::nullopt;
      },
      body);
}

std::int64_t told_of(const EventBody& body) {
  return std::visit(
      [](const auto& known) -> std::int64_t {
        if constexpr (requires { known.spoken; }) return known.spoken.told;
        if constexpr (requires { known.fields; }) return FieldReader::body<OfAnyKind>(known.fields).told;
        return 0;
      },
      body);
}

Json fields_of(const EventBody& body) { return fields_in(body); }

EventBody read_event_body(std::string_view kind, Json fields) {
  EventBody body;
  read_variant(kind, std::move(fields), body);
  return body;
}

}  // namespace teamster::workflow
