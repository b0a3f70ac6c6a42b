// What surrounds the phases: values, roles, team, messages, ledger, series, and what must be so
// before a run.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"
#include "workflow/format/spec_words.h"

namespace teamster::workflow {
namespace {

// A path that stays inside the project or the ledger's directory.
bool stays_inside(const std::string& path) {
  if (path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

// What is never taken and never told.
void check_value_without(const Checking& checking, const Spot& spot, const Value& value) {
  const bool is_told = !value.otherwise.empty();
  if (value.kind == Value::Kind::files && (value.fallback || is_told)) {
    const char* key = value.fallback ? "default" : "otherwise";
    return checking.problem(spot.at(key), fmt::format("`files` needs no `{}`: where nothing matches the list is empty. "
                                                      "Give the input that uses it a `default`",
                                                      key));
  }
  if (value.fallback && is_told)
    checking.problem(spot.at("otherwise"), "`otherwise` is never told beside a `default`: leave one of them out");
}

void check_values(const Checking& checking) {
  const auto& values = checking.workflow.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    const Spot spot = checking.root().at("values").at(value.name);
    const Allowed earlier{.values_before = i};
    const bool is_glob = value.kind == Value::Kind::file || value.kind == Value::Kind::files;
    const bool is_text = value.kind == Value::Kind::text || value.kind == Value::Kind::sections;
    const char* file_key = value.kind == Value::Kind::sections ? "sections" : "text";
    if (is_glob) {
      const Spot glob = spot.at(value.kind == Value::Kind::file ? "file" : "files");
      check_text(checking, glob, value.pattern, earlier);
      check_inside(checking, glob, value.pattern);
    } else if (value.kind != Value::Kind::config && value.kind != Value::Kind::env) {
      check_text(checking, spot.at(is_text ? file_key : "of"), value.of, earlier);
      if (value.kind != Value::Kind::match) check_inside(checking, spot.at(is_text ? file_key : "of"), value.of);
    }
    check_text(checking, spot.at("otherwise"), value.otherwise, earlier);
    check_value_without(checking, spot, value);
  }
}

std::set<std::string> roles_in_use(const Workflow& workflow) {
  std::set<std::string> used;
  for (const auto& phase : workflow.phases) {
    used.insert(phase.role);
    used.insert(phase.merge);
    used.insert(phase.roles.begin(), phase.roles.end());
    used.insert(phase.ladder.advisor.value_or(""));
  }
  used.insert(workflow.ladder.advisor.value_or(""));
  for (const auto& [name, role] : workflow.roles) used.insert(role.ladder.advisor.value_or(""));
  return used;
}

void check_roles(const Checking& checking) {
  const auto used = roles_in_use(checking.workflow);
  for (const auto& [name, role] : checking.workflow.roles) {
    const Spot spot = checking.root().at("roles").at(name);
    if (!role.is_native && !used.contains(name))
      checking.problem(spot, fmt::format("no phase uses the role '{}'", name));
    check_text(checking, spot.at("model"), role.model, {});
    for (std::size_t i = 0; i < role.writes.size(); ++i)
      check_inside(checking, spot.at("writes").at(i), role.writes[i]);
  }
}

void check_preconditions(const Checking& checking) {
  const Workflow& workflow = checking.workflow;
  for (std::size_t i = 0; i < workflow.preconditions.size(); ++i) {
    const Precondition& condition = workflow.preconditions[i];
    const Spot spot = checking.root().at("before").at(i);
    const char* key = condition.kind == Precondition::Kind::file      ? "file"
                      : condition.kind == Precondition::Kind::done    ? "done"
                      : condition.kind == Precondition::Kind::skills  ? "skills"
                      : condition.kind == Precondition::Kind::command ? "command"
                      : condition.kind == Precondition::Kind::idle    ? "idle"
                      : condition.kind == Precondition::Kind::head    ? "head"
                                                                      : "clean";
    const bool is_command = condition.kind == Precondition::Kind::command;
    check_text(checking, spot.at(key), condition.what,
               {.shell = is_command ? Allowed::Shell::bare : Allowed::Shell::none});
    check_text(checking, spot.at("of"), condition.of, {});
    check_sides(checking, spot.at("only"), condition.only, std::nullopt);
    for (const auto& [side, value] : condition.only)
      if (side.starts_with("run/") && side != "run/entry")
        checking.problem(
            spot.at("only").at(side),
            fmt::format("'{}' is not known before a run: expected args/NAME, flags/NAME, values/NAME or run/entry",
                        side));
    check_text(checking, spot.at("otherwise"), condition.otherwise, {.words = {"missing"}});
    if (condition.kind == Precondition::Kind::done && condition.of.empty() && !workflow.series)
      checking.problem(spot, "`done` needs `of`, the file that has the heading, because there is no `series`");
    if (condition.kind == Precondition::Kind::skills && condition.of.empty() && workflow.messages.preamble.empty())
      checking.problem(spot, "`skills` needs `of`, the file that has the heading, because no preamble is declared");
  }
}

void check_ledger(const Checking& checking) {
  if (!checking.workflow.ledger) return;
  const Ledger& ledger = *checking.workflow.ledger;
  const Spot spot = checking.root().at("ledger");
  check_text(checking, spot.at("directory"), ledger.directory, {});
  check_inside(checking, spot.at("directory"), ledger.directory);
  if (ledger.index.find('/') != std::string::npos)
    checking.problem(spot.at("manifest"), "`manifest` is the name of a file in `directory`, without '/'");
  check_text(checking, spot.at("artifact"), ledger.artifact, {.words = {"sequence", "number", "id"}});
  if (!ledger.artifact.empty() && ledger.artifact.find("{{sequence") == std::string::npos)
    checking.problem(spot.at("artifact"), "`artifact` needs {{sequence}}: a second answer must not replace the first");
  for (const auto& [name, value] : ledger.fields)
    if (value.is_string()) check_text(checking, spot.at("fields").at(name), value.get<std::string>(), {});
}

// Files of an answer and what goes on after a crash are found by the number of the phase.
void check_stages(const Checking& checking) {
  if (!checking.workflow.ledger) return;
  std::map<std::int64_t, std::string> phases;
  for (std::size_t i = 0; i < checking.workflow.phases.size(); ++i) {
    const Phase& phase = checking.workflow.phases[i];
    const Spot spot = checking.phase(i).at("stage");
    const auto number = stage_number(phase);
    if (!number) {
      checking.problem(spot, fmt::format("a ledger counts its phases: give '{}' a whole number as `stage`", phase.id));
      continue;
    }
    const auto [other, is_new] = phases.emplace(*number, phase.id);
    if (!is_new)
      checking.problem(spot, fmt::format("the stage {} is the phase '{}' in the ledger: give '{}' another `stage`",
                                         *number, other->second, phase.id));
  }
}

// Also the texts in lists and maps.
void check_state_field(const Checking& checking, const Spot& spot, const Json& value) {
  if (value.is_string()) check_text(checking, spot, value.get<std::string>(), {.loops = true, .answers = true});
  if (value.is_structured())
    for (const auto& inner : value) check_state_field(checking, spot, inner);
}

void check_state(const Checking& checking) {
  if (!checking.workflow.state) return;
  const State& state = *checking.workflow.state;
  const Spot spot = checking.root().at("state");
  check_text(checking, spot.at("file"), state.file, {});
  check_inside(checking, spot.at("file"), state.file);
  check_text(checking, spot.at("task"), state.task, {});
  for (const auto& [name, value] : state.fields) check_state_field(checking, spot.at("fields").at(name), value);
}

// What goes with a run is named by what it was started with.
void check_files(const Checking& checking) {
  const auto& files = checking.workflow.files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Spot spot = checking.root().at("files").at(i);
    check_text(checking, spot, files[i], {});
    check_inside(checking, spot, files[i]);
  }
}

void check_team(const Checking& checking) {
  const Team& team = checking.workflow.team;
  const Spot spot = checking.root().at("team");
  check_text(checking, spot.at("name"), team.name, {});
  check_text(checking, spot.at("otherwise"), team.otherwise, {});
  check_sides(checking, spot.at("only"), team.only,
              team.from.empty() ? std::nullopt : checking.flow.index_of(team.from.front().phase));
  if (!team.name.empty() && team.scope != Team::Scope::run)
    checking.problem(spot.at("scope"), "the team at the top has scope run: one for a phase or an item stands there");
  for (std::size_t i = 0; i < team.from.size(); ++i) {
    const Team::From& from = team.from[i];
    const auto index = checking.flow.index_of(from.phase);
    if (!index)
      checking.problem(spot.at("from").at(i), fmt::format("there is no phase '{}'{}", from.phase,
                                                          suggestion(from.phase, phase_ids(checking.workflow))));
    else
      check_sides(checking, spot.at("from").at(i).at("only"), from.only, index);
  }
}

void check_series(const Checking& checking) {
  if (!checking.workflow.series) return;
  const Spot spot = checking.root().at("series");
  std::vector<std::string> names;
  for (const auto& argument : checking.workflow.args) names.push_back(argument.name);
  const std::string& argument = checking.workflow.series->argument;
  if (!argument.empty() && std::find(names.begin(), names.end(), argument) == names.end())
    checking.problem(spot.at("argument"),
                     fmt::format("there is no argument '{}'{}", argument, suggestion(argument, names)));
  check_inside(checking, spot.at("items"), checking.workflow.series->items);
}

void check_preamble(const Checking& checking) {
  const std::string& preamble = checking.workflow.messages.preamble;
  if (preamble.empty()) return;
  std::vector<std::string> names;
  for (const auto& value : checking.workflow.values) names.push_back(value.name);
  const Spot spot = checking.root().at("messages").at("preamble");
  if (std::find(names.begin(), names.end(), preamble) == names.end())
    checking.problem(spot, fmt::format("there is no value '{}'{}", preamble, suggestion(preamble, names)));
  if (checking.workflow.messages.first.empty())
    checking.problem(spot, "a preamble needs `first`, the message that carries it");
}

}  // namespace

void check_inside(const Checking& checking, const Spot& spot, const std::string& path) {
  if (!stays_inside(path))
    checking.problem(spot, fmt::format("'{}' leads out of the project: write a path in it", path));
}

void check_frame(const Checking& checking) {
  check_values(checking);
  check_roles(checking);
  check_preconditions(checking);
  check_ledger(checking);
  check_stages(checking);
  check_series(checking);
  check_preamble(checking);
  check_text(checking, checking.root().at("key"), checking.workflow.key, {});
  check_team(checking);
  check_state(checking);
  check_files(checking);
}

}  // namespace teamster::workflow
