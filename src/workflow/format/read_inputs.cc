#include "workflow/format/read_inputs.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "workflow/format/faults.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

std::optional<Source> read_source(const Reading& reading, const Node& node) {
  const auto text = read_text(reading, node, "a source");
  if (!text) return std::nullopt;
  auto source = parse_source(*text);
  if (source) return *std::move(source);
  reading.problem(node.place, source.error().what);
  return std::nullopt;
}

// FILES_CREATED
bool check_input_name(const Reading& reading, const Node& key) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_next = [&](char c) { return is_capital(c) || (c >= '0' && c <= '9') || c == '_'; };
  const std::string& text = key.text;
  const bool is_name = !text.empty() && text.size() <= limits::kNameMaxBytes && is_capital(text[0]) &&
                       std::all_of(text.begin(), text.end(), is_next);
  if (!is_name)
    reading.problem(key.place, fmt::format("{} is no name of an input: use capitals, digits and '_', as in "
                                           "FILES_CREATED",
                                           quoted(text, 80)));
  return is_name;
}

void read_senders(const Reading& reading, const Node& node, Input& input) {
  const Fields fields(reading, node, "`by`");
  if (node.kind == Node::Kind::map && node.keys.empty())
    reading.problem(node.place, "`by` is empty, expected PHASE: SOURCE");
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    input.by_sender[node.keys[i].text] = read_sources(reading, node.items[i]);
}

Input read_input(const Reading& reading, const Node& key, const Node& node) {
  Input input;
  input.name = key.text;
  if (node.kind != Node::Kind::map) {
    input.sources = read_sources(reading, node);
    return input;
  }
  Fields fields(reading, node, fmt::format("the input {}", key.text));
  const Node* by = fields.take("by");
  const Node* from = fields.take("from");
  if ((by == nullptr) == (from == nullptr))
    reading.problem(node.place, fmt::format("the input {} needs one of `from` and `by`", key.text));
  if (from != nullptr) input.sources = read_sources(reading, *from);
  if (by != nullptr) read_senders(reading, *by, input);
  if (const Node* where = fields.take("where")) {
    const Condition condition = read_condition(reading, *where, "`where` of an input", Tests::none);
    if (by != nullptr) reading.problem(where->place, "`where` goes with `from`, not with `by`");
    for (auto& source : input.sources) source.where = Json(condition);
  }
  input.fallback = fields.text("default");
  if (const Node* only = fields.take("only")) {
    input.only = read_condition(reading, *only, "`only` of an input", Tests::none);
    if (by != nullptr) reading.problem(only->place, "`only` goes with `from`, not with `by`");
    if (!input.fallback)
      reading.problem(only->place,
                      fmt::format("the input {} needs a `default`, for when `only` does not hold", key.text));
  }
  fields.finish();
  return input;
}

}  // namespace

std::vector<std::string> read_names(Fields& fields, const std::string& key) {
  const Node* list = fields.take(key);
  std::vector<std::string> names = fields.texts(key);
  if (list == nullptr || list->kind != Node::Kind::list) return names;
  if (list->items.empty())
    fields.reading().problem(list->place, fmt::format("`{}` of {} is empty", key, fields.what()));
  for (const auto& entry : list->items)
    if (entry.kind == Node::Kind::scalar && entry.text.empty())
      fields.reading().problem(entry.place, fmt::format("an entry of `{}` is empty", key));
  return names;
}

std::vector<Source> read_sources(const Reading& reading, const Node& node) {
  std::vector<Source> sources;
  if (node.kind != Node::Kind::list) {
    if (auto source = read_source(reading, node)) sources.push_back(*std::move(source));
    return sources;
  }
  if (node.items.empty()) reading.problem(node.place, "expected a source or more, found an empty list");
  for (const auto& item : node.items)
    if (auto source = read_source(reading, item)) sources.push_back(*std::move(source));
  return sources;
}

Inputs read_inputs(const Reading& reading, const Node& node) {
  const Fields fields(reading, node, "`inputs`");
  Inputs inputs;
  if (node.kind != Node::Kind::map) return inputs;
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    if (check_input_name(reading, node.keys[i]))
      inputs[node.keys[i].text] = read_input(reading, node.keys[i], node.items[i]);
  return inputs;
}

Ladder read_ladder(const Reading& reading, const Node& node, const std::string& what) {
  Fields fields(reading, node, fmt::format("`ladder` of {}", what));
  Ladder ladder;
  ladder.retry = fields.number("retry", 0, limits::kLadderTriesMax);
  ladder.mend = fields.number("mend", 0, limits::kLadderTriesMax);
  ladder.fresh = fields.number("fresh", 0, limits::kLadderTriesMax);
  ladder.advisor = fields.text("advisor");
  ladder.advise_at = fields.number("advise_at", 2, limits::kLadderTriesMax);
  if (fields.take("then") != nullptr) {
    const std::string then = fields.choice("then", {"ask", "block", "fail"});
    ladder.then = then == "ask" ? Ladder::Then::ask : then == "block" ? Ladder::Then::block : Ladder::Then::fail;
  }
  if (fields.take("patience") != nullptr) ladder.patience = fields.duration("patience");
  if (const Node* faults = fields.take("faults")) {
    Fields inner(reading, *faults, "`faults` of a ladder");
    for (const auto& fault : settable_faults())
      if (inner.take(fault) != nullptr) ladder.faults[fault] = inner.choice(fault, settable_rungs());
    inner.finish();
  }
  fields.finish();
  return ladder;
}

Budget read_budget(const Reading& reading, const Node& node, const std::string& what) {
  constexpr std::int64_t kMany = 1'000'000'000'000;
  Fields fields(reading, node, fmt::format("`budget` of {}", what));
  Budget budget;
  budget.tokens = fields.number("tokens", 1, kMany);
  budget.turns = fields.number("turns", 1, kMany);
  if (const Node* usd = fields.take("usd")) {
    const Json amount = to_json(*usd);
    if (amount.is_number() && amount.get<double>() > 0)
      budget.usd = amount.get<double>();
    else
      reading.problem(usd->place, fmt::format("`usd` must be a number above 0, found {}", describe(*usd)));
  }
  if (fields.take("time") != nullptr) budget.time = fields.duration("time");
  fields.finish();
  return budget;
}

namespace {

// Phases before which a team is made: one, or a list of them, each with what must be so by then.
std::vector<Team::From> read_beginnings(const Reading& reading, const Node& node) {
  std::vector<Team::From> beginnings;
  if (node.kind != Node::Kind::list) {
    if (auto phase = read_text(reading, node, "`from` of a team"); phase && !phase->empty())
      beginnings.push_back({*std::move(phase)});
    return beginnings;
  }
  if (node.items.empty()) reading.problem(node.place, "`from` of a team is empty: name a phase");
  for (const auto& entry : node.items) {
    if (entry.kind != Node::Kind::map) {
      if (auto phase = read_text(reading, entry, "an entry of `from`")) beginnings.push_back({*std::move(phase)});
      continue;
    }
    Fields fields(reading, entry, "an entry of `from`");
    Team::From beginning{fields.need_text("phase")};
    if (const Node* only = fields.take("only"))
      beginning.only = read_condition(reading, *only, "`only` of an entry of `from`", Tests::none);
    fields.finish();
    beginnings.push_back(std::move(beginning));
  }
  return beginnings;
}

}  // namespace

Team read_team(const Reading& reading, const Node& node, Team::Scope fallback) {
  Fields fields(reading, node, "a team");
  Team team;
  team.name = fields.need_text("name");
  team.scope = fallback;
  if (fields.take("scope") != nullptr) {
    const std::string scope = fields.choice("scope", {"run", "phase", "item"});
    team.scope = scope == "run" ? Team::Scope::run : scope == "phase" ? Team::Scope::phase : Team::Scope::item;
  }
  if (const Node* only = fields.take("only"))
    team.only = read_condition(reading, *only, "`only` of a team", Tests::none);
  team.otherwise = fields.text_or_empty("otherwise");
  if (fallback == Team::Scope::run)
    if (const Node* from = fields.take("from")) team.from = read_beginnings(reading, *from);
  if (fallback != Team::Scope::run)
    team.at_least = fields.number("at_least", 1, static_cast<std::int64_t>(limits::kMembersPerTeamMax)).value_or(0);
  if (fields.take("start") != nullptr) team.starts_together = fields.choice("start", {"together"}) == "together";
  fields.finish();
  return team;
}

}  // namespace teamster::workflow
