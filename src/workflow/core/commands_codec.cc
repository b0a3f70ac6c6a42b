// How commands are written in a run's records: docs/formats/run.md. The names of their fields are here and nowhere
// else.
#include "workflow/core/commands.h"
#include "workflow/core/record_fields.h"

namespace teamster::workflow {

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::NewMember>& member) {
  fields.always("name", member.name);
  fields.always("role", member.role);
  fields.unless_empty("native", member.native);
  fields.unless_empty("later", member.later);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::MakeTeam>& body) {
  fields.always("team", body.team);
  fields.always("members", body.members);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::EndTeam>& body) {
  fields.always("team", body.team);
  fields.unless_empty("status", body.status);
  fields.unless_empty("reason", body.reason);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::NamedOutput>& output) {
  fields.always("field", output.field);
  fields.unless_empty("path", output.path);
  fields.unless_empty("header", output.header);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Turn>& body) {
  fields.always("member", body.member);
  fields.always("role", body.role);
  fields.always("team", body.team);
  fields.always("prompt", body.prompt);
  fields.always("first", body.first);
  fields.unless_empty("schema", body.schema);
  fields.unless_empty("rung", body.rung);
  fields.unless_empty("temporary", body.temporary);
  fields.unless_empty("limit_ms", body.limit_ms);
  fields.unless_empty("marker", body.marker);
  fields.when(!body.marker.empty(), "other_markers", body.other_markers);
  fields.unless_empty("files", body.files);
  fields.unless_empty("outputs", body.outputs);
  fields.unless_empty("writes", body.writes);
  fields.unless_empty("task", body.task);
  fields.unless_empty("why", body.why);
  fields.unless_empty("skill", body.skill);
  fields.unless_empty("conversation", body.conversation);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::ShellCommand>& shell) {
  fields.always("command", shell.command);
  fields.always("limit_ms", shell.limit_ms);
  fields.unless_empty("environment", shell.environment);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Check>& body) {
  describe(fields, body.shell);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Notify>& body) {
  fields.unless_empty("text", body.text);
  fields.unless_empty("to", body.to);
  if (!body.text) describe(fields, body.shell);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::PostponedTurn>& turn) {
  fields.always("step", turn.step);
  fields.always("role", turn.role);
  fields.always("member", turn.member);
  fields.always("rung", turn.rung);
  fields.always("temporary", turn.temporary);
  fields.unless_empty("why", turn.why);
  fields.unless_empty("guidance", turn.guidance);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::DoubtfulEffect>& effect) {
  fields.always("kind", effect.kind);
  fields.always("step", effect.step);
  fields.always("attempt", effect.attempt);
  fields.always("body", effect.body);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Ask>& body) {
  fields.always("text", body.text);
  fields.always("to", body.to);
  fields.always("gate", body.gate);
  fields.unless_empty("options", body.options);
  fields.unless_empty("outcomes", body.outcomes);
  fields.unless_empty("expertise", body.expertise);
  fields.unless_empty("attach", body.attach);
  fields.unless_empty("from", body.from);
  fields.unless_empty("message", body.message);
  fields.unless_empty("also", body.also);
  fields.unless_empty("sets", body.sets);
  fields.unless_empty("remind_ms", body.remind_ms);
  fields.unless_empty("deadline_ms", body.deadline_ms);
  fields.unless_empty("scope", body.scope);
  fields.unless_empty("turn", body.turn);
  fields.unless_empty("about", body.about);
  fields.unless_empty("reminded", body.reminded);
  fields.unless_empty("late", body.late);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Commit>& body) {
  fields.always("paths", body.paths);
  fields.always("message", body.message);
  fields.always("tag", body.tag);
  fields.always("last_tag", body.last_tag);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::ReadItems>& body) {
  fields.when(body.criteria.empty(), "checklist", body.checklist);
  fields.unless_empty("criteria", body.criteria);
  fields.when(body.criteria.empty(), "group", body.group);
  fields.unless_empty("left_out", body.left_out);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::MakeTasks>& body) {
  fields.always("team", body.team);
  fields.always("from", body.from);
  fields.always("to", body.to);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::FinishTask>& body) {
  fields.always("team", body.team);
  fields.always("task", body.task);
  fields.always("status", body.status);
  fields.unless_empty("why", body.why);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Tick>& body) {
  fields.always("checklist", body.checklist);
  fields.always("number", body.number);
  fields.always("text", body.text);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Reply>& body) {
  fields.always("team", body.team);
  fields.always("member", body.member);
  fields.always("message", body.message);
  fields.always("text", body.text);
  fields.always("by", body.by);
  fields.unless_empty("question", body.question);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Retire>& body) {
  fields.always("team", body.team);
  fields.always("member", body.member);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::SubRun>& body) {
  fields.always("workflow", body.workflow);
  fields.unless_empty("entry", body.entry);
  fields.always("args", body.args);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::EndSubRun>& body) {
  fields.always("of", body.of);
  fields.unless_empty("status", body.status);
  fields.unless_empty("reason", body.reason);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Wait>& body) {
  fields.always("ms", body.ms);
  fields.always("what", body.what);
  fields.always("turn", body.turn);
  fields.always("why", body.why);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::End>& body) {
  fields.always("status", body.status);
  fields.always("reason", body.reason);
  fields.always("report", body.report);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Enter>& body) {
  fields.always("phase", body.phase);
  fields.always("sender", body.sender);
  fields.unless_empty("stage", body.stage);
  fields.always("loops", body.loops);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Items>& body) {
  fields.always("list", body.list);
  fields.unless_empty("findings", body.findings);
  fields.unless_empty("append", body.append);
  fields.unless_empty("group", body.group);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Settle>& body) {
  fields.always("phase", body.phase);
  fields.always("sequence", body.sequence);
  fields.always("loops", body.loops);
  fields.unless_empty("answer", body.answer);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Note>& body) {
  fields.always("phase", body.phase);
  fields.unless_empty("loop", body.loop);
  fields.always("answer", body.answer);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Raise>& body) {
  fields.always("scope", body.scope);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Remind>& body) {
  fields.always("question", body.question);
  fields.unless_empty("to", body.to);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::ItemDone>& body) {
  fields.always("number", body.number);
  fields.always("status", body.status);
  fields.unless_empty("answer", body.answer);
  fields.unless_empty("why", body.why);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Pause>& body) {
  fields.always("turn", body.turn);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Withdraw>& body) {
  fields.always("of", body.of);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Reopen>& body) {
  fields.always("phase", body.phase);
  fields.always("dropped", body.dropped);
  fields.always("loops", body.loops);
  fields.unless_empty("sender", body.sender);
  fields.unless_empty("keeps_items", body.keeps_items);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::Warn>& body) {
  fields.always("about", body.about);
  fields.always("text", body.text);
}

template <class Fields>
void describe(Fields& fields, typename Fields::template Of<command::SetPeople>& body) {
  fields.always("people", body.people);
}

std::string_view kind_of(const CommandBody& body) { return kind_in(body); }

bool has_effect(const CommandBody& body) {
  return std::visit(
      [](const auto& known) {
        if constexpr (requires { known.kHasEffect; })
          return known.kHasEffect;
        else
          return true;
      },
      body);
}

Json fields_of(const CommandBody& body) { return fields_in(body); }

CommandBody read_command_body(std::string_view kind, Json fields) {
  CommandBody body;
  read_variant(kind, std::move(fields), body);
  return body;
}

}  // namespace teamster::workflow
