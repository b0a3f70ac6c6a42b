// How that which others tell a run is written: docs/formats/run.md. The names of its fields are here and nowhere else.
#include "protocol/words/run_records.h"
#include "workflow/core/record_fields.h"
#include "workflow/core/told.h"

namespace teamster::workflow {

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<told::Cancel>& body) {
  fields.always("by", body.by);
  fields.unless_empty("how", body.how);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<told::Reply>& body) {
  fields.always("question", body.question);
  fields.always("by", body.by);
  fields.unless_empty("how", body.how);
  fields.unless_empty("answer", body.answer);
  fields.unless_empty("approved", body.approved);
  fields.unless_empty("feedback", body.feedback);
  fields.unless_empty("note", body.note);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<told::Decide>& body) {
  fields.always("step", body.step);
  fields.always("decision", body.decision);
  fields.always("by", body.by);
  fields.unless_empty("how", body.how);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<told::Adjust>& body) {
  fields.always("by", body.by);
  fields.unless_empty("how", body.how);
  fields.unless_empty("configuration", body.configuration);
  fields.unless_empty("values", body.values);
  fields.unless_empty("budget", body.budget);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<told::Reopen>& body) {
  fields.always("by", body.by);
  fields.unless_empty("how", body.how);
  fields.unless_empty("from", body.from);
}

std::string_view kind_of(const ToldBody& body) { return kind_in(body); }

Json fields_of(const ToldBody& body) { return fields_in(body); }

ToldBody read_told(const Json& record) {
  RunTold told = RunTold::read(record);
  ToldBody body;
  read_variant(told.what, std::move(told.body), body);
  return body;
}

}  // namespace teamster::workflow
