#include "workflow/format/read_spec.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/faults.h"
#include "workflow/format/read_inputs.h"
#include "workflow/format/read_parts.h"
#include "yaml/fields.h"

namespace teamster::workflow {
namespace {

std::vector<Phase> read_phases(const Reading& reading, const Node& node) {
  std::vector<Phase> phases;
  if (node.kind != Node::Kind::list || node.items.empty()) {
    reading.problem(node.place, fmt::format("`phases` must be a list of at least one phase, found {}", describe(node)));
    return phases;
  }
  if (node.items.size() > limits::kWorkflowPhasesMax) {
    reading.problem(node.place,
                    fmt::format("{} phases, the limit is {}", node.items.size(), limits::kWorkflowPhasesMax));
    return phases;
  }
  for (const auto& item : node.items) {
    phases.push_back(read_phase(reading, item));
    phases.back().number = static_cast<std::int64_t>(phases.size());
  }
  return phases;
}

void read_report(const Reading& reading, const Node& node, Workflow& workflow) {
  if (node.kind == Node::Kind::scalar) {
    workflow.report = read_text(reading, node, "`report`").value_or("");
    return;
  }
  Fields fields(reading, node, "`report`");
  workflow.report = fields.need_text("template");
  if (const Node* inputs = fields.take("inputs")) workflow.report_inputs = read_inputs(reading, *inputs);
  fields.finish();
}

AgentQuestions read_agent_questions(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`questions`");
  AgentQuestions questions;
  questions.remind = fields.duration("remind");
  if (fields.take("deadline") != nullptr) questions.deadline = fields.duration("deadline");
  questions.declines = fields.flag("declines").value_or(false);
  if (questions.remind > questions.deadline)
    reading.problem(fields.place_of("remind"), fields.has("deadline")
                                                   ? "`remind` is later than `deadline`"
                                                   : "`remind` is later than `deadline`, which is 2h unless given");
  if (fields.take("reasons") != nullptr) questions.reasons = read_names(fields, "reasons");
  questions.otherwise = fields.text_or_empty("otherwise");
  if (fields.has("reasons") && questions.otherwise.empty())
    reading.problem(fields.place_of("reasons"),
                    "`reasons` say which questions are for people: give `otherwise`, the answer to all others");
  questions.title = fields.text_or_empty("title");
  questions.abort = fields.text_or_empty("abort");
  fields.finish();
  return questions;
}

Trouble read_trouble(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "an entry of `trouble`");
  Trouble trouble;
  if (const Node* when = fields.need("when"))
    trouble.when = read_condition(reading, *when, "`when` of an entry of `trouble`", Tests::allowed);
  fields.need("fault");
  trouble.fault = fields.choice("fault", settable_faults());
  trouble.why = fields.text_or_empty("why");
  fields.finish();
  return trouble;
}

std::vector<Trouble> read_troubles(const Reading& reading, const Node& node) {
  std::vector<Trouble> troubles;
  if (node.kind != Node::Kind::list || node.items.empty())
    reading.problem(node.place, fmt::format("`trouble` must be a list of {{ when, fault }}, found {}",
                                            node.kind == Node::Kind::list ? "an empty one" : describe(node)));
  else
    for (const auto& entry : node.items) troubles.push_back(read_trouble(reading, entry));
  return troubles;
}

// What surrounds the phases.
void read_frame(const Reading& reading, Fields& fields, Workflow& workflow) {
  if (const Node* entries = fields.take("entries")) workflow.entries = read_entries(reading, *entries);
  if (const Node* args = fields.take("args")) workflow.args = read_arguments(reading, *args);
  if (const Node* flags = fields.take("flags")) workflow.flags = read_flags(reading, *flags);
  if (const Node* values = fields.take("values")) workflow.values = read_values(reading, *values);
  workflow.key = fields.text_or_empty("key");
  if (const Node* team = fields.take("team")) workflow.team = read_team(reading, *team, Team::Scope::run);
  if (const Node* roles = fields.take("roles")) workflow.roles = read_roles(reading, *roles);
  if (const Node* ladder = fields.take("ladder")) workflow.ladder = read_ladder(reading, *ladder, "the workflow");
  if (const Node* questions = fields.take("questions")) workflow.questions = read_agent_questions(reading, *questions);
  if (const Node* messages = fields.take("messages")) workflow.messages = read_messages(reading, *messages);
  if (const Node* inputs = fields.take("inputs")) workflow.inputs = read_inputs(reading, *inputs);
  if (const Node* loops = fields.take("loops")) workflow.loops = read_loops(reading, *loops);
  if (const Node* before = fields.take("before")) workflow.preconditions = read_preconditions(reading, *before);
  if (const Node* ledger = fields.take("ledger")) workflow.ledger = read_ledger(reading, *ledger);
  if (const Node* state = fields.take("state")) workflow.state = read_state(reading, *state);
  if (const Node* series = fields.take("series")) workflow.series = read_series(reading, *series);
  if (const Node* budget = fields.take("budget")) workflow.budget = read_budget(reading, *budget, "the workflow");
}

}  // namespace

Workflow read_spec(const Document& document, Problems& problems) {
  const Reading reading{document.file, problems};
  Fields fields(reading, document.root, "the workflow");
  Workflow workflow;
  if (const Node* name = fields.need("name"); name != nullptr && check_name(reading, *name, "a workflow"))
    workflow.name = fields.need_text("name");
  workflow.about = fields.text_or_empty("about");
  read_frame(reading, fields, workflow);
  if (const Node* always = fields.take("always")) workflow.always = read_ways(reading, *always);
  if (const Node* trouble = fields.take("trouble")) workflow.trouble = read_troubles(reading, *trouble);
  if (const Node* phases = fields.need("phases")) workflow.phases = read_phases(reading, *phases);
  if (const Node* report = fields.take("report")) read_report(reading, *report, workflow);
  fields.finish();
  return workflow;
}

}  // namespace teamster::workflow
