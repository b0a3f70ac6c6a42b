#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/read_inputs.h"
#include "workflow/format/read_parts.h"
#include "workflow/format/source.h"
#include "workflow/format/spec_words.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

// Every key that a phase of some kind has.
const std::vector<std::string> kPhaseKeys = {
    "id",       "title", "kind",   "only",  "on",      "role",  "roles",    "template", "inputs", "returns", "stage",
    "check",    "limit", "budget", "items", "team",    "merge", "question", "command",  "text",   "files",   "skill",
    "workflow", "with",  "pass",   "paths", "message", "tag",   "last_tag", "ladder",   "fresh",  "sets",    "entry"};

Kind read_kind(Fields& fields) {
  if (const Node* kind = fields.node().find("kind"); kind != nullptr && kind->text == "pool") {
    fields.take("kind");
    fields.reading().problem(kind->place,
                             "`kind: pool` is gone: write `kind: fanout`, whose members take the items too");
    return Kind::fanout;
  }
  const std::string word = fields.choice("kind", phase_kinds());
  return static_cast<Kind>(std::find(phase_kinds().begin(), phase_kinds().end(), word) - phase_kinds().begin());
}

Way read_way(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "a way");
  Way way;
  if (const Node* when = fields.take("when"))
    way.when = read_condition(reading, *when, "`when` of a way", Tests::allowed);
  const auto target = fields.text("goto");
  const auto block = fields.text("block");
  const auto fail = fields.text("fail");
  const int ends = (fields.has("goto") ? 1 : 0) + (fields.has("block") ? 1 : 0) + (fields.has("fail") ? 1 : 0);
  if (ends != 1 && node.kind == Node::Kind::map)
    reading.problem(node.place, "a way needs one of `goto: PHASE`, `goto: done`, `block: REASON`, `fail: REASON`");
  if (target && target->empty()) reading.problem(fields.place_of("goto"), "`goto` is empty: name a phase, or done");
  if (target) {
    way.target = *target == "done" ? "" : *target;
    if (*target == "done") way.end = Way::End::done;
  }
  if (block || fail) {
    way.end = block ? Way::End::block : Way::End::fail;
    way.reason = block ? *block : *fail;
    if (way.reason.empty()) reading.problem(node.place, "the reason is empty: say what a person has to do");
  }
  way.loop = fields.text_or_empty("loop");
  if (!way.loop.empty() && way.target.empty())
    reading.problem(fields.place_of("loop"), "`loop` goes with `goto: PHASE`");
  fields.finish();
  return way;
}

Check read_proof(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`check` of a phase");
  Check check;
  check.command = fields.need_text("command");
  check.limit = fields.duration("limit");
  if (const Node* inputs = fields.take("inputs")) check.inputs = read_inputs(reading, *inputs);
  if (const Node* when = fields.take("when"))
    check.when = read_condition(reading, *when, "`when` of a check", Tests::allowed);
  if (const Node* then = fields.take("then")) check.then = read_fields(reading, *then, "`then` of a check");
  fields.finish();
  return check;
}

// The name of a skill; empty without the key.
std::string read_skill(Fields& fields) {
  const Node* node = fields.take("skill");
  if (node == nullptr || !check_name(fields.reading(), *node, "a skill")) return {};
  return fields.need_text("skill");
}

// A number or a short name: 3, P2.
std::string read_stage(Fields& fields) {
  const Node* node = fields.take("stage");
  if (node == nullptr) return {};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_first = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_next = [&](char c) { return is_first(c) || c == '.' || c == '_' || c == '-'; };
  const bool is_number = node->kind == Node::Kind::scalar && !node->is_quoted &&
                         plain_kind(node->text) == Plain::number &&
                         std::all_of(node->text.begin(), node->text.end(), is_digit);
  const std::string stage = is_number ? node->text : fields.text("stage").value_or("");
  const bool is_name = !stage.empty() && stage.size() <= limits::kStageMaxBytes && is_first(stage[0]) &&
                       std::all_of(stage.begin(), stage.end(), is_next);
  if (!is_name && node->kind == Node::Kind::scalar)
    fields.reading().problem(node->place, fmt::format("{} is no stage: write a number or a short name, such as 3 or P2",
                                                      quoted(node->text, 80)));
  return is_name ? stage : "";
}

// What the answer to an `ask` becomes, beside being the answer.
bool read_sets(Fields& fields) {
  if (fields.take("sets") == nullptr) return false;
  fields.choice("sets", {"people"});
  return true;
}

Question read_question(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "a question");
  Question question;
  question.text = fields.need_text("text");
  question.to = fields.text_or_empty("to");
  question.attach = fields.text_or_empty("attach");
  question.expertise = fields.text_or_empty("expertise");
  if (fields.take("options") != nullptr) question.options = read_names(fields, "options");
  question.remind = fields.duration("remind");
  question.deadline = fields.duration("deadline");
  if (const Node* late = node.find("late"); late != nullptr && (late->text == "halt" || late->text == "owner")) {
    fields.take("late");
    reading.problem(late->place,
                    fmt::format("`late: {}` is gone: leave it out, then the owner is asked as well and the "
                                "run waits; `late: fail` ends it",
                                late->text));
  } else {
    const bool is_fail = fields.choice("late", {"wait", "fail"}) == "fail";
    if (is_fail) question.late = Question::Late::fail;
    if (late != nullptr && (is_fail || late->text == "wait") && !fields.has("deadline"))
      reading.problem(late->place, "`late` says what happens at the deadline: give a `deadline`");
  }
  if (!question.to.empty() && !question.expertise.empty())
    reading.problem(fields.place_of("expertise"), "`expertise` finds out whom to ask: leave it out, or `to`");
  if (question.remind > question.deadline && question.deadline > Duration::zero())
    reading.problem(fields.place_of("remind"), "`remind` is later than `deadline`");
  fields.finish();
  return question;
}

// Of a map that is an item: the fields that mean something to the engine. All others are the workflow's own.
void check_item_fields(const Reading& reading, const Node& node) {
  if (node.keys.empty()) reading.problem(node.place, "an item is empty: give it fields, such as `id`");
  Fields fields(reading, node, "an item");
  for (const char* key : {"id", "role"})
    if (fields.has(key)) fields.need_text(key);
  read_skill(fields);
  if (fields.has("blocked_by")) fields.texts("blocked_by");
}

std::vector<Json> read_item_list(const Reading& reading, const Node& node, const std::string& what) {
  std::vector<Json> list;
  if (node.kind != Node::Kind::list) {
    reading.problem(node.place,
                    fmt::format("{} must be a list of texts or maps, found {}: write [ … ]", what, describe(node)));
    return list;
  }
  if (node.items.empty()) reading.problem(node.place, fmt::format("{} is empty", what));
  for (const auto& entry : node.items) {
    if (entry.kind == Node::Kind::map) {
      check_item_fields(reading, entry);
      list.push_back(read_value(reading, entry));
    } else if (auto text = read_text(reading, entry, "an entry of " + what)) {
      if (text->empty()) reading.problem(entry.place, fmt::format("an entry of {} is empty", what));
      list.emplace_back(*std::move(text));
    }
  }
  return list;
}

void read_origin(const Reading& reading, Fields& fields, const Node& node, Items& items) {
  const int ways = (fields.has("list") ? 1 : 0) + (fields.has("from") ? 1 : 0) + (fields.has("checklist") ? 1 : 0) +
                   (fields.has("criteria") ? 1 : 0);
  if (ways != 1) reading.problem(node.place, "`items` needs one of `list`, `from`, `checklist` and `criteria`");
  if (const Node* list = fields.take("list")) items.fixed = read_item_list(reading, *list, "`list` of `items`");
  if (const Node* from = fields.take("from")) {
    const auto sources = read_sources(reading, *from);
    if (!sources.empty()) items.source = sources[0];
    if (sources.size() > 1) items.or_from.assign(sources.begin() + 1, sources.end());
  }
  if (fields.has("checklist")) items.checklist = fields.need_text("checklist");
  fields.take("checklist");
  if (fields.has("criteria")) items.criteria = fields.need_text("criteria");
  fields.take("criteria");
  if (!items.checklist.empty()) items.group = fields.text_or_empty("group");
}

void read_findings(const Reading& reading, const Node& node, Items& items) {
  Fields fields(reading, node, "`findings` of items");
  if (const Node* from = fields.need("from")) {
    const auto sources = read_sources(reading, *from);
    if (!sources.empty()) items.findings = sources[0];
    if (sources.size() > 1) items.more_findings.assign(sources.begin() + 1, sources.end());
  }
  items.finding_item = fields.need_text("item");
  if (!items.checklist.empty())
    reading.problem(node.place, "a checklist has no findings: what is not ticked is done again");
  fields.finish();
}

Items read_items(const Reading& reading, const Node& node) {
  constexpr std::int64_t kMany = static_cast<std::int64_t>(limits::kMembersPerTeamMax);
  Items items;
  if (node.kind == Node::Kind::list) {
    items.fixed = read_item_list(reading, node, "`items`");
    return items;
  }
  if (node.kind != Node::Kind::map) {
    const auto sources = read_sources(reading, node);
    if (!sources.empty()) items.source = sources[0];
    return items;
  }
  Fields fields(reading, node, "`items`");
  read_origin(reading, fields, node, items);
  if (const Node* members = node.find("members"); members != nullptr && members->text.find("{{") != std::string::npos)
    items.members_text = fields.need_text("members");
  else
    items.members = fields.number("members", 1, kMany).value_or(0);
  // All criteria are judged each time, by as many as there are.
  if (!items.criteria.empty()) {
    fields.finish({"group", "at_least", "findings"});
    return items;
  }
  items.at_least = fields.number("at_least", 1, kMany).value_or(0);
  if (const Node* findings = fields.take("findings")) read_findings(reading, *findings, items);
  items.owns = fields.text_or_empty("owns");
  if (fields.has("owns") && !items.checklist.empty())
    reading.problem(fields.place_of("owns"), "`owns` names a field of the items, and those of a checklist have none");
  fields.finish({"group"});
  return items;
}

NamedFile read_named_file(const Reading& reading, const Node& node) {
  NamedFile named;
  if (node.kind != Node::Kind::map) {
    named.field = read_text(reading, node, "an entry of `files`").value_or("");
    if (node.kind == Node::Kind::scalar && named.field.empty())
      reading.problem(node.place, "an entry of `files` is empty");
    return named;
  }
  Fields fields(reading, node, "an entry of `files`");
  named.field = fields.need_text("field");
  if (fields.take("path") != nullptr) named.path = fields.need_text("path");
  named.header = fields.text_or_empty("header");
  fields.finish();
  return named;
}

std::vector<NamedFile> read_named_files(const Reading& reading, const Node& node) {
  std::vector<NamedFile> files;
  if (node.kind != Node::Kind::list || node.items.empty())
    reading.problem(node.place, fmt::format("`files` must be a list of fields of the answer, found {}",
                                            node.kind == Node::Kind::list ? "an empty one" : describe(node)));
  else
    for (const auto& entry : node.items) files.push_back(read_named_file(reading, entry));
  return files;
}

void read_merge(const Reading& reading, const Node& node, Phase& phase) {
  Fields fields(reading, node, "`merge`");
  phase.merge = fields.need_text("role");
  phase.merge_template = fields.need_text("template");
  phase.merge_returns = fields.need_text("returns");
  if (const Node* files = fields.take("files")) phase.merge_files = read_named_files(reading, *files);
  if (const Node* pass = fields.take("pass"))
    phase.merge_pass = read_condition(reading, *pass, "`pass` of a merge", Tests::allowed);
  phase.merge_needs_all = fields.flag("needs_all").value_or(false);
  phase.merge_skill = read_skill(fields);
  fields.finish();
}

void read_work(const Reading& reading, Fields& fields, Phase& phase) {
  if (phase.kind == Kind::fanout && fields.has("roles")) {
    phase.roles = read_names(fields, "roles");
    if (fields.has("role")) reading.problem(fields.place_of("roles"), "expected `role` or `roles`, found both");
    fields.take("role");
  } else {
    phase.role = fields.need_text("role");
  }
  phase.template_file = fields.need_text("template");
  phase.skill = read_skill(fields);
  phase.fresh = fields.flag("fresh").value_or(false);
  if (const Node* inputs = fields.take("inputs")) phase.inputs = read_inputs(reading, *inputs);
  phase.returns = fields.need_text("returns");
  if (const Node* files = fields.take("files")) phase.files = read_named_files(reading, *files);
  if (const Node* pass = fields.take("pass"))
    phase.pass = read_condition(reading, *pass, "`pass` of a phase", Tests::allowed);
  if (const Node* ladder = fields.take("ladder")) phase.ladder = read_ladder(reading, *ladder, "a phase");
  if (const Node* check = fields.take("check")) phase.check = read_proof(reading, *check);
  phase.limit = fields.duration("limit");
  if (const Node* budget = fields.take("budget")) phase.budget = read_budget(reading, *budget, "a phase");
  if (phase.kind == Kind::agent) return;
  if (const Node* items = fields.need("items")) phase.items = read_items(reading, *items);
  if (const Node* team = fields.take("team")) phase.team = read_team(reading, *team, Team::Scope::phase);
  if (const Node* merge = fields.take("merge")) read_merge(reading, *merge, phase);
}

void read_command(const Reading& reading, Fields& fields, Phase& phase) {
  Check check;
  if (phase.kind == Kind::notify && fields.has("text")) {
    phase.text = fields.need_text("text");
    phase.to = fields.text_or_empty("to");
    if (fields.has("command")) reading.problem(fields.place_of("command"), "expected `command` or `text`, found both");
    fields.take("command");
    return;
  }
  if (phase.kind == Kind::notify) fields.take("text");  // so that a near miss of it is seen
  check.command = fields.need_text("command");
  if (const Node* inputs = fields.take("inputs")) check.inputs = read_inputs(reading, *inputs);
  check.limit = fields.duration("limit");
  phase.check = check;
}

void read_sub_run(const Reading& reading, Fields& fields, Phase& phase) {
  phase.workflow = fields.need_text("workflow");
  phase.entry = fields.text_or_empty("entry");
  if (const Node* with = fields.take("with")) {
    const Fields inner(reading, *with, "`with` of a phase");
    for (std::size_t i = 0; i < with->keys.size(); ++i)
      phase.with[with->keys[i].text] =
          read_text(reading, with->items[i], fmt::format("`{}`", with->keys[i].text)).value_or("");
  }
  if (const Node* items = fields.take("items")) phase.items = read_items(reading, *items);
  if (const Node* team = fields.take("team")) phase.team = read_team(reading, *team, Team::Scope::item);
}

void read_commit(Fields& fields, Phase& phase) {
  Commit commit;
  if (fields.need("paths") != nullptr) commit.paths = read_names(fields, "paths");
  commit.message = fields.need_text("message");
  commit.tag = fields.text_or_empty("tag");
  commit.last_tag = fields.text_or_empty("last_tag");
  phase.commit = commit;
}

void read_by_kind(const Reading& reading, Fields& fields, Phase& phase) {
  switch (phase.kind) {
    case Kind::agent:
    case Kind::fanout:
      return read_work(reading, fields, phase);
    case Kind::ask:
    case Kind::gate:
      phase.role = fields.text_or_empty("role");
      if (const Node* question = fields.need("question")) phase.question = read_question(reading, *question);
      if (phase.kind == Kind::ask) phase.sets_people = read_sets(fields);
      return;
    case Kind::check:
    case Kind::notify:
      return read_command(reading, fields, phase);
    case Kind::workflow:
      return read_sub_run(reading, fields, phase);
    case Kind::commit:
      return read_commit(fields, phase);
  }
}

}  // namespace

std::vector<Way> read_ways(const Reading& reading, const Node& node) {
  std::vector<Way> ways;
  if (node.kind != Node::Kind::list)
    reading.problem(node.place, fmt::format("expected a list of ways, found {}: write [ … ]", describe(node)));
  else if (node.items.size() > limits::kWorkflowWaysMax)
    reading.problem(node.place, fmt::format("{} ways, the limit is {}", node.items.size(), limits::kWorkflowWaysMax));
  else
    for (const auto& item : node.items) ways.push_back(read_way(reading, item));
  return ways;
}

Phase read_phase(const Reading& reading, const Node& node) {
  const Node* id = node.find("id");
  const std::string name =
      id != nullptr && id->kind == Node::Kind::scalar ? fmt::format("the phase {}", quoted(id->text, 64)) : "a phase";
  Fields fields(reading, node, name);
  Phase phase;
  phase.id = fields.need_text("id");
  if (!phase.id.empty() && check_name(reading, *id, "a phase") && is_reserved(phase.id))
    reading.problem(id->place,
                    fmt::format("'{}' cannot be the id of a phase: as a source it means something else", phase.id));
  phase.kind = read_kind(fields);
  phase.title = fields.text("title").value_or(phase.id);
  phase.stage = read_stage(fields);
  if (const Node* only = fields.take("only"))
    phase.only = read_condition(reading, *only, "`only` of a phase", Tests::none);
  read_by_kind(reading, fields, phase);
  if (const Node* on = fields.take("on")) phase.on = read_ways(reading, *on);
  if (const Node* each = node.find("each")) {
    reading.problem(each->place, "`each` is gone: write `items`, which `kind: workflow` has as a fanout does");
    fields.take("each");
  }
  fields.finish(kPhaseKeys);
  return phase;
}

}  // namespace teamster::workflow
