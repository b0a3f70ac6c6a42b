#include "rehearsal/stub_answer.h"

#include <algorithm>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/example.h"
#include "schema/schema.h"
#include "workflow/core/condition.h"
#include "workflow/format/source.h"
#include "workflow/format/template.h"

namespace teamster::cli {
namespace {

using workflow::Phase;
using workflow::Source;
using workflow::Workflow;

// Paths into an answer: "plan/chapters".
using Paths = std::set<std::string>;

// What must be there: an input with a default needs nothing.
void add_read(const workflow::Inputs& inputs, Source::Kind kind, const std::string& phase, Paths& paths) {
  const auto add = [&](const std::vector<Source>& sources) {
    for (const auto& source : sources)
      if (source.kind == kind && (kind == Source::Kind::item || source.name == phase))
        paths.insert(join(source.path, "/"));
  };
  for (const auto& [name, input] : inputs) {
    if (input.fallback) continue;
    add(input.sources);
    for (const auto& [sender, sources] : input.by_sender) add(sources);
  }
}

void add_read(const std::string& text, const std::string& phase, Paths& paths) {
  const auto parsed = workflow::Template::parse(text);
  if (!parsed) return;
  for (const auto& placeholder : parsed->placeholders()) {
    const auto source = workflow::parse_source(placeholder.name);
    if (source && source->kind == Source::Kind::answer && source->name == phase) paths.insert(join(source->path, "/"));
  }
}

Paths paths_read(const Workflow& workflow, const std::string& phase) {
  Paths paths;
  add_read(workflow.inputs, Source::Kind::answer, phase, paths);
  add_read(workflow.report_inputs, Source::Kind::answer, phase, paths);
  for (const auto& each : workflow.phases) {
    add_read(each.inputs, Source::Kind::answer, phase, paths);
    if (each.check) add_read(each.check->inputs, Source::Kind::answer, phase, paths);
    for (const auto& [name, text] : each.with) add_read(text, phase, paths);
    add_read(each.text, phase, paths);
    add_read(each.to, phase, paths);
    if (each.commit) add_read(each.commit->message, phase, paths);
    if (!each.question) continue;
    for (const auto& text : {each.question->text, each.question->attach, each.question->to})
      add_read(text, phase, paths);
  }
  return paths;
}

void set_at(Json& value, const std::string& path, const Json& to) {
  const std::size_t slash = path.find('/');
  if (path.empty()) {
    value = to;
    return;
  }
  if (!value.is_object()) return;
  Json& field = value[path.substr(0, slash)];
  if (slash == std::string::npos) {
    field = to;
  } else {
    if (field.is_null()) field = Json::object();
    set_at(field, path.substr(slash + 1), to);
  }
}

Json at(const Json& value, const std::string& path) { return path.empty() ? value : workflow::value_at(value, path); }

// How well a run goes on with an answer; 0 is best.
int score_of_way(const Workflow& workflow, const Phase& phase, const Json& answer) {
  const workflow::RunState state;
  const workflow::Moment moment{.state = state, .phase = &phase};
  std::vector<workflow::Way> ways = workflow.always;
  ways.insert(ways.end(), phase.on.begin(), phase.on.end());
  for (const auto& way : ways) {
    if (!workflow::holds(moment, way.when, answer)) continue;
    if (way.end == workflow::Way::End::block || way.end == workflow::Way::End::fail) return -50;
    for (const auto& each : workflow.phases)
      if (each.id == way.target && each.number <= phase.number) return -20;
    return 0;
  }
  return 0;
}

// Who answers in this turn.
std::string role_of(const Phase& phase, StubTurn turn) {
  if (turn == StubTurn::merge) return phase.merge;
  return phase.role.empty() && !phase.roles.empty() ? phase.roles.front() : phase.role;
}

// Where the phase says, or else where the role may write.
std::string file_for(const Workflow& workflow, const Phase& phase, StubTurn turn, const workflow::NamedFile& named) {
  if (!named.path.empty() && named.path.find("{{") == std::string::npos) return named.path;
  const std::string name = phase.id + "-" + named.field.substr(named.field.rfind('/') + 1) + ".txt";
  const auto role = workflow.roles.find(role_of(phase, turn));
  if (role == workflow.roles.end() || role->second.writes_everywhere || role->second.writes.empty()) return name;
  std::string place = role->second.writes.front();
  while (place.ends_with('/')) place.pop_back();
  const std::size_t glob = place.find_first_of("*?[");
  const std::size_t dot = place.substr(place.rfind('/') + 1).find('.');
  const bool is_file = dot != std::string::npos && dot > 0;  // PLAN.md, not .teamster
  if (glob == std::string::npos) return is_file ? place : place + "/" + name;
  // "docs/*.md": below docs, and with the same end
  const std::size_t end = place.rfind('*');
  const std::string suffix = end == std::string::npos ? "" : place.substr(end + 1);
  const std::size_t slash = place.rfind('/', glob);
  return (slash == std::string::npos ? "" : place.substr(0, slash + 1)) +
         (suffix.find('.') == std::string::npos ? name : name.substr(0, name.size() - 4) + suffix);
}

// Makes one answer better, as long as the schema allows it.
class AnswerInTheMaking {
 public:
  AnswerInTheMaking(const Workflow& workflow, const Phase& phase, StubTurn turn, const Json& schema, Json value)
      : workflow_(workflow),
        phase_(phase),
        turn_(turn),
        schema_(schema),
        compiled_(*schema::Schema::compile(schema)),
        value_(std::move(value)) {}

  const Json& value() const { return value_; }

  bool set(const std::string& path, const Json& to) {
    Json tried = value_;
    set_at(tried, path, to);
    if (!compiled_.check(tried).empty()) return false;
    value_ = std::move(tried);
    return true;
  }

  // What others read, and the schema does not say.
  void fill(const Paths& paths) {
    for (const auto& path : paths)
      if (!path.empty() && workflow::words_of(at(value_, path)).empty())
        (void)(set(path, path.substr(path.rfind('/') + 1)) || set(path, Json::array({"entry"})) || set(path, 1));
  }

  // Entries that other phases work on have what those read of them.
  void fill_items() {
    for (const auto& other : workflow_.phases) {
      if (!other.items || !other.items->source || other.items->source->name != phase_.id ||
          other.items->source->kind != Source::Kind::answer)
        continue;
      const std::string path = join(other.items->source->path, "/");
      Json list = at(value_, path);
      if (!list.is_array()) continue;
      Paths read;
      add_read(other.inputs, Source::Kind::item, {}, read);
      for (auto& entry : list) {
        if (!entry.is_object()) continue;
        for (const auto& field : read)
          if (!field.empty() && workflow::words_of(at(entry, field)).empty()) set_at(entry, field, field);
        if (entry.contains("role")) entry["role"] = other.roles.empty() ? other.role : other.roles.front();
      }
      set(path, list);
    }
  }

  // For each field that a condition asks about, what makes the run go on.
  void go_ahead() {
    std::vector<std::pair<std::string, Json>> asked;
    const auto add = [&](const workflow::Condition& condition) {
      for (const auto& [field, wanted] : condition) asked.emplace_back(field, wanted);
    };
    add(pass());
    for (const auto& way : workflow_.always) add(way.when);
    for (const auto& way : phase_.on) add(way.when);
    for (const auto& [field, wanted] : asked)
      for (const Json& candidate : candidates(field, wanted)) {
        if (score() == 0) return;
        const Json before = value_;
        const int score_before = score();
        if (set(field, candidate) && score() <= score_before) value_ = before;
      }
  }

 private:
  const workflow::Condition& pass() const { return turn_ == StubTurn::merge ? phase_.merge_pass : phase_.pass; }

  int score() const {
    const workflow::RunState state;
    const workflow::Moment moment{.state = state, .phase = &phase_};
    const bool passes = workflow::holds(moment, pass(), value_);
    // The ways of a phase with items ask what came of all of them.
    const bool has_ways = turn_ == StubTurn::merge || phase_.kind == Phase::Kind::agent;
    return (passes ? 0 : -100) + (has_ways ? score_of_way(workflow_, phase_, value_) : 0);
  }

  std::vector<Json> candidates(const std::string& field, const Json& wanted) const {
    std::vector<Json> list = {wanted};
    if (wanted.is_boolean()) list.emplace_back(!wanted.get<bool>());
    if (const Json* values = enum_of(field)) list.insert(list.end(), values->begin(), values->end());
    if (!wanted.is_object()) return list;
    list = {Json::array()};
    const auto filled = schema::example_of(
        schema_, {.has_optional = true, .is_filled = [&](const std::string& path) { return path == field; }});
    const Json entries = filled ? at(*filled, field) : Json();
    if (!entries.is_array() || entries.empty()) return list;
    list.push_back(entries);
    for (const char* test : {"every", "any", "none", "count"}) {
      if (!wanted.contains(test)) continue;
      Json entry = wanted[test].is_object() ? entries.front() : wanted[test];
      if (wanted[test].is_object())
        for (const auto& [name, value] : wanted[test].items()) set_at(entry, name, value);
      list.push_back(Json::array({entry}));
      list.push_back(Json::array({denied(entry, wanted[test])}));
      if (const auto least = wanted.find("at_least"); least != wanted.end() && least->is_number_integer())
        list.push_back(Json(std::min<std::size_t>(least->get<std::size_t>(), 100), entry));
    }
    return list;
  }

  // One that does not have what is wanted, as far as that is true or false.
  static Json denied(Json entry, const Json& wanted) {
    if (wanted.is_object())
      for (const auto& [name, value] : wanted.items())
        if (value.is_boolean()) set_at(entry, name, !value.get<bool>());
    return entry;
  }

  const Json* enum_of(const std::string& field) const {
    const Json* schema = &schema_;
    for (std::size_t begin = 0; begin <= field.size();) {
      const std::size_t end = std::min(field.find('/', begin), field.size());
      const std::string name = field.substr(begin, end - begin);
      begin = end + 1;
      const auto properties = schema->find("properties");
      if (properties == schema->end() || !properties->is_object() || !properties->contains(name)) return nullptr;
      schema = &(*properties)[name];
    }
    const auto values = schema->find("enum");
    return values == schema->end() || !values->is_array() ? nullptr : &*values;
  }

  const Workflow& workflow_;
  const Phase& phase_;
  const StubTurn turn_;
  const Json& schema_;
  const schema::Schema compiled_;
  Json value_;
};

Paths filled_lists(const Workflow& workflow, const Phase& phase, const Paths& read) {
  Paths filled = read;
  for (const auto& other : workflow.phases)
    if (other.items && other.items->source && other.items->source->kind == Source::Kind::answer &&
        other.items->source->name == phase.id)
      filled.insert(join(other.items->source->path, "/"));
  return filled;
}

}  // namespace

StubAnswer stub_answer(const Workflow& workflow, const workflow::Bundle& bundle, const Phase& phase, StubTurn turn) {
  StubAnswer answer;
  const auto file = bundle.find(turn == StubTurn::merge ? phase.merge_returns : phase.returns);
  const auto schema = parse_json(file == bundle.end() ? "true" : std::string_view(file->second));
  if (!schema) return answer;
  // The answer to a phase with items and no coordinator is a list: nobody reads fields of it.
  const bool is_read = turn == StubTurn::merge || phase.kind == Phase::Kind::agent;
  const Paths read = is_read ? paths_read(workflow, phase.id) : Paths();
  const Paths filled = filled_lists(workflow, phase, read);
  const auto is_filled = [&](const std::string& path) { return filled.count(path) > 0; };
  auto example = schema::example_of(*schema, {.has_optional = true, .is_filled = is_filled});
  if (!example) example = schema::example_of(*schema, {.is_filled = is_filled});
  if (!example) {
    answer.problem = example.error().what;
    return answer;
  }
  AnswerInTheMaking making(workflow, phase, turn, *schema, *std::move(example));
  making.fill(read);
  making.fill_items();
  for (const auto& named : turn == StubTurn::merge ? phase.merge_files : phase.files) {
    const std::string path = file_for(workflow, phase, turn, named);
    if (making.set(named.field, path) || making.set(named.field, Json::array({path}))) answer.files.push_back(path);
  }
  making.go_ahead();
  answer.value = making.value();
  return answer;
}

Json stub_reply(const Workflow& workflow, const Phase& phase) {
  if (phase.kind == Phase::Kind::gate) {
    const bool approves =
        score_of_way(workflow, phase, {{"approved", true}}) >= score_of_way(workflow, phase, {{"approved", false}});
    return approves ? Json{{"approve", true}} : Json{{"reject", "not in a rehearsal"}};
  }
  const auto& options = phase.question->options;
  if (options.empty()) return {{"answer", "an answer of the rehearsal"}};
  std::size_t best = 0;
  for (std::size_t i = 1; i < options.size(); ++i)
    if (score_of_way(workflow, phase, {{"answer", options[i]}}) >
        score_of_way(workflow, phase, {{"answer", options[best]}}))
      best = i;
  // One with words of the run in it is named by its number.
  if (options[best].find("{{") != std::string::npos) return {{"answer", best + 1}};
  return {{"answer", options[best]}};
}

}  // namespace teamster::cli
