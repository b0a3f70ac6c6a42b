#include "workflow/format/read_parts.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/pattern.h"
#include "base/text.h"
#include "workflow/format/read_inputs.h"
#include "workflow/format/tools.h"

namespace teamster::workflow {
namespace {

std::string plural_of(const std::string& what) {
  return what.ends_with('y') ? what.substr(0, what.size() - 1) + "ies" : what + "s";
}

// Calls for each key of a map that is a good name.
void each_named(const Reading& reading, const Node& node, const std::string& what, bool may_have_underscores,
                const std::function<void(const std::string& name, const Node& value)>& read) {
  const Fields fields(reading, node, fmt::format("the list of {}", plural_of(what)));
  if (node.kind != Node::Kind::map) return;
  const std::string article = what.find_first_of("aeiou") == 0 ? "an" : "a";
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    if (check_name(reading, node.keys[i], fmt::format("{} {}", article, what), may_have_underscores))
      read(node.keys[i].text, node.items[i]);
}

// The one key of these that is there; empty, and a problem, when there is none or another.
std::string one_of(Fields& fields, const std::vector<std::string>& keys) {
  std::string found;
  int count = 0;
  std::string names;
  for (const auto& key : keys) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", key);
    if (!fields.has(key)) continue;
    found = key;
    ++count;
  }
  if (count == 1) return found;
  for (const auto& key : keys) fields.take(key);  // one message is enough
  if (fields.node().kind == Node::Kind::map)
    fields.reading().problem(fields.node().place,
                             fmt::format("{} needs one of {}{}", fields.what(), names,
                                         count == 0 ? "" : fmt::format(", found {} of them", count)));
  return "";
}

// What a word may be, of an argument or a flag.
void read_word(const Reading& reading, Fields& fields, Argument& argument) {
  argument.pattern = fields.text_or_empty("pattern");
  if (!argument.pattern.empty()) check_pattern(reading, fields.place_of("pattern"), argument.pattern, false);
  if (fields.take("choices") != nullptr) argument.choices = read_names(fields, "choices");
  argument.fallback = fields.text("default");
  const auto& choices = argument.choices;
  if (argument.fallback && !choices.empty() &&
      std::find(choices.begin(), choices.end(), *argument.fallback) == choices.end())
    reading.problem(fields.place_of("default"), "the default is none of the `choices`");
  const auto pattern = Pattern::compile(argument.pattern);
  if (argument.fallback && !argument.pattern.empty() && pattern && !pattern->matches_whole(*argument.fallback))
    reading.problem(fields.place_of("default"), "the default does not match the `pattern`");
}

Argument read_argument(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the argument '{}'", name));
  Argument argument;
  argument.name = name;
  argument.about = fields.text_or_empty("about");
  read_word(reading, fields, argument);
  fields.finish();
  return argument;
}

Flag read_flag(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the flag '{}'", name));
  Flag flag;
  flag.value.name = name;
  flag.value.about = fields.text_or_empty("about");
  const bool has_value = fields.has("value");
  if (has_value) flag.shown = fields.need_text("value");
  if (has_value) read_word(reading, fields, flag.value);
  // Of a switch there is nothing more to say.
  fields.finish({"pattern", "choices", "default"});
  return flag;
}

Entry read_entry(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the entry '{}'", name));
  Entry entry;
  entry.name = name;
  entry.about = fields.text_or_empty("about");
  entry.from = fields.text_or_empty("from");
  entry.to = fields.text_or_empty("to");
  entry.cancels = fields.flag("cancels").value_or(false);
  if (entry.cancels && (fields.has("from") || fields.has("to")))
    reading.problem(node.place, "an entry that cancels begins no phase: leave `from` and `to` out");
  if (fields.take("args") != nullptr) entry.args = fields.texts("args");
  if (fields.take("flags") != nullptr) entry.flags = fields.texts("flags");
  fields.finish();
  return entry;
}

bool is_variable_name(std::string_view name) {
  const auto is_first = [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const auto is_next = [&](char c) { return is_first(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_first(name[0]) && std::all_of(name.begin(), name.end(), is_next);
}

Value read_found_value(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the value '{}'", name));
  Value value;
  value.name = name;
  const std::string kind = one_of(fields, {"file", "files", "match", "line", "text", "config", "env", "sections"});
  if (!kind.empty()) {
    const std::string what = fields.need_text(kind);
    const bool is_pattern = kind == "match" || kind == "line";
    const bool is_glob = kind == "file" || kind == "files";
    (is_pattern || is_glob ? value.pattern : value.of) = what;
    if (is_pattern) {
      value.of = fields.need_text("of");
      if (!what.empty()) check_pattern(reading, fields.place_of(kind), what, true);
    }
    value.kind = kind == "file"       ? Value::Kind::file
                 : kind == "files"    ? Value::Kind::files
                 : kind == "match"    ? Value::Kind::match
                 : kind == "line"     ? Value::Kind::line
                 : kind == "text"     ? Value::Kind::text
                 : kind == "env"      ? Value::Kind::env
                 : kind == "sections" ? Value::Kind::sections
                                      : Value::Kind::config;
    if (kind == "env" && !what.empty() && !is_variable_name(what))
      reading.problem(fields.place_of("env"),
                      fmt::format("{} is no name of a variable: write one such as MY_SETTING", quoted(what, 80)));
  }
  value.fallback = fields.text("default");
  value.otherwise = fields.text_or_empty("otherwise");
  fields.finish({"of"});
  return value;
}

// All that the agent has, by name or with a pattern of the uses that it may make of it.
std::vector<std::string> read_tools(const Reading& reading, Fields& fields, const Role& role) {
  const Node* list = fields.take("tools");
  if (list == nullptr) return default_tools(role.writes_everywhere || !role.writes.empty());
  for (const auto& entry : list->items)
    if (entry.kind == Node::Kind::scalar && !is_tool_rule(entry.text))
      reading.problem(entry.place, fmt::format("{} is no tool: write its name, or NAME(PATTERN) such as Bash(git *)",
                                               quoted(entry.text, 80)));
  return fields.texts("tools");
}

Role read_role(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the role '{}'", name));
  Role role;
  role.name = name;
  role.about = fields.text_or_empty("about");
  role.is_native = fields.flag("native").value_or(false);
  if (role.is_native) {
    fields.finish(
        {"prompt", "driver", "model", "effort", "auth", "writes", "tools", "window", "budget", "ladder", "silence"});
    return role;
  }
  role.prompt = fields.text_or_empty("prompt");
  role.driver = fields.text_or_empty("driver");
  role.model = fields.text_or_empty("model");
  role.effort = fields.text_or_empty("effort");
  if (fields.take("auth") != nullptr) role.auth = fields.choice("auth", {"inherit", "env", "file"});
  role.writes_everywhere = !fields.has("writes");
  role.writes = fields.texts("writes");
  if (std::find(role.writes.begin(), role.writes.end(), "") != role.writes.end())
    reading.problem(fields.place_of("writes"), "an entry of `writes` is empty: write . for the whole project");
  role.tools = read_tools(reading, fields, role);
  role.window = fields.number("window", limits::kWindowMinCharacters, limits::kWindowMaxCharacters).value_or(0);
  if (const Node* budget = fields.take("budget")) role.budget = read_budget(reading, *budget, "a role");
  if (const Node* ladder = fields.take("ladder")) role.ladder = read_ladder(reading, *ladder, "a role");
  role.silence = fields.duration("silence");
  fields.finish();
  return role;
}

Loop read_loop(const Reading& reading, const std::string& name, const Node& node) {
  Fields fields(reading, node, fmt::format("the loop '{}'", name));
  Loop loop;
  loop.name = name;
  fields.need("max");
  loop.max = fields.number("max", 1, limits::kLoopRoundsMax).value_or(1);
  if (const Node* after = node.find("then"); after != nullptr && after->kind == Node::Kind::map) {
    Fields inner(reading, *fields.take("then"), "`then` of a loop");
    loop.then = Loop::Then::go;
    loop.target = inner.need_text("goto");
    inner.finish();
  } else {
    const std::string then = fields.choice("then", {"block", "accept", "escalate", "fail"});
    loop.then = then == "block"      ? Loop::Then::block
                : then == "accept"   ? Loop::Then::accept
                : then == "escalate" ? Loop::Then::escalate
                                     : Loop::Then::fail;
  }
  loop.counts = fields.text_or_empty("counts");
  loop.resets = fields.text_or_empty("resets");
  fields.finish();
  return loop;
}

Precondition read_precondition(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "an entry of `before`");
  Precondition condition;
  const std::string kind = one_of(fields, {"file", "clean", "done", "skills", "command", "idle", "head"});
  if (kind == "clean")
    condition.except = fields.texts("clean");
  else if (!kind.empty())
    condition.what = fields.need_text(kind);
  condition.kind = kind == "clean"     ? Precondition::Kind::clean
                   : kind == "done"    ? Precondition::Kind::done
                   : kind == "skills"  ? Precondition::Kind::skills
                   : kind == "command" ? Precondition::Kind::command
                   : kind == "idle"    ? Precondition::Kind::idle
                   : kind == "head"    ? Precondition::Kind::head
                                       : Precondition::Kind::file;
  if (kind == "done" || kind == "skills") condition.of = fields.text_or_empty("of");
  if (kind == "idle" && !condition.what.empty() && condition.what != "team")
    reading.problem(fields.place_of("idle"), "expected `idle: team`");
  if (kind == "head" && !condition.what.empty() && condition.what != "branch")
    reading.problem(fields.place_of("head"), "expected `head: branch`");
  if (const Node* only = fields.take("only"))
    condition.only = read_condition(reading, *only, "`only` of an entry of `before`", Tests::none);
  condition.otherwise = fields.need_text("otherwise");
  fields.finish({"of"});
  return condition;
}

}  // namespace

std::vector<Entry> read_entries(const Reading& reading, const Node& node) {
  std::vector<Entry> entries;
  each_named(reading, node, "entry", false,
             [&](const std::string& name, const Node& value) { entries.push_back(read_entry(reading, name, value)); });
  if (node.kind == Node::Kind::map && node.keys.empty())
    reading.problem(node.place, "`entries` is empty: leave it out, or name one");
  return entries;
}

std::vector<Argument> read_arguments(const Reading& reading, const Node& node) {
  std::vector<Argument> arguments;
  each_named(reading, node, "argument", true, [&](const std::string& name, const Node& value) {
    arguments.push_back(read_argument(reading, name, value));
    if (arguments.size() > 1 && arguments[arguments.size() - 2].fallback && !arguments.back().fallback)
      reading.problem(value.place,
                      fmt::format("the argument '{}' needs a `default`, because the one before it has one", name));
  });
  return arguments;
}

std::vector<Flag> read_flags(const Reading& reading, const Node& node) {
  std::vector<Flag> flags;
  each_named(reading, node, "flag", false,
             [&](const std::string& name, const Node& value) { flags.push_back(read_flag(reading, name, value)); });
  return flags;
}

std::vector<Value> read_values(const Reading& reading, const Node& node) {
  std::vector<Value> values;
  each_named(reading, node, "value", true, [&](const std::string& name, const Node& value) {
    values.push_back(read_found_value(reading, name, value));
  });
  return values;
}

std::map<std::string, Role> read_roles(const Reading& reading, const Node& node) {
  std::map<std::string, Role> roles;
  each_named(reading, node, "role", false,
             [&](const std::string& name, const Node& value) { roles[name] = read_role(reading, name, value); });
  return roles;
}

std::map<std::string, Loop> read_loops(const Reading& reading, const Node& node) {
  std::map<std::string, Loop> loops;
  each_named(reading, node, "loop", true,
             [&](const std::string& name, const Node& value) { loops[name] = read_loop(reading, name, value); });
  return loops;
}

std::vector<Precondition> read_preconditions(const Reading& reading, const Node& node) {
  std::vector<Precondition> conditions;
  if (node.kind != Node::Kind::list)
    reading.problem(node.place, fmt::format("`before` must be a list, found {}", describe(node)));
  else
    for (const auto& item : node.items) conditions.push_back(read_precondition(reading, item));
  return conditions;
}

Messages read_messages(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`messages`");
  Messages messages;
  messages.preamble = fields.text_or_empty("preamble");
  messages.first = fields.text_or_empty("first");
  messages.later = fields.text_or_empty("later");
  messages.marker = fields.text_or_empty("marker");
  fields.finish();
  return messages;
}

Ledger read_ledger(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`ledger`");
  Ledger ledger;
  ledger.directory = fields.need_text("directory");
  ledger.index = fields.need_text("manifest");
  ledger.artifact = fields.need_text("artifact");
  if (const Node* list = fields.take("fields")) ledger.fields = read_fields(reading, *list, "`fields` of the ledger");
  fields.finish();
  return ledger;
}

State read_state(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`state`");
  State state;
  const std::string kind = one_of(fields, {"file", "task"});
  if (kind == "file") state.file = fields.need_text("file");
  if (kind == "task") state.task = fields.need_text("task");
  if (const Node* list = fields.need("fields")) state.fields = read_fields(reading, *list, "`fields` of the state");
  fields.finish();
  return state;
}

Series read_series(const Reading& reading, const Node& node) {
  Fields fields(reading, node, "`series`");
  Series series;
  series.items = fields.need_text("items");
  series.pattern = fields.need_text("pattern");
  if (!series.pattern.empty()) check_pattern(reading, fields.place_of("pattern"), series.pattern, true);
  series.argument = fields.need_text("argument");
  series.dependencies = fields.text_or_empty("dependencies");
  series.required = fields.text_or_empty("requires");
  fields.finish();
  return series;
}

}  // namespace teamster::workflow
