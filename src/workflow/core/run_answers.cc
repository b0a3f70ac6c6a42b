#include "workflow/core/run_answers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/core/step_names.h"
#include "workflow/format/spec_words.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kSignalMaxBytes = 200;
constexpr std::int64_t kSummandMax = 1'000'000'000;
// From the best to the worst; what is none of them is worse.
constexpr std::array<std::string_view, 3> kStatuses = {"PASS", "FAIL", "BLOCKED"};

struct Given {
  std::string step;
  const Json* answer = nullptr;
};

std::string key_of(const Phase& phase) {
  std::string key = stage_of(phase);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

const RunItems* items_of(const RunState& state, const std::string& phase) {
  if (phase == state.phase && !state.items.empty()) return &state.items;
  const auto earlier = state.earlier.find(phase);
  return earlier == state.earlier.end() ? nullptr : &earlier->second;
}

std::vector<Given> given_by_items(const RunState& state, const Phase& phase) {
  std::vector<Given> given;
  const RunItems* items = items_of(state, phase.id);
  if (items == nullptr) return given;
  for (std::int64_t number = 1; number <= items->size(); ++number)
    if (const RunItem* item = items->find(number); item->status == RunItem::Status::passed)
      given.push_back({item_step(phase.id, number), &item->answer});
  return given;
}

// Of items first, then what a coordinator or the agent of the phase said.
std::vector<Given> given_in(const RunState& state, const Phase& phase) {
  std::vector<Given> given = given_by_items(state, phase);
  const auto answer = state.answers.find(phase.id);
  if (answer != state.answers.end() && answer->second.value.is_object())
    given.push_back({phase.id, &answer->second.value});
  return given;
}

std::vector<std::string> texts_in(const Json& answer, const char* name) {
  std::vector<std::string> texts;
  const Json list = value_at(answer, name);
  if (list.is_string()) texts.push_back(list.get<std::string>());
  for (const auto& each : list.is_array() ? list : Json::array())
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

// Of the phase at work what its items have said so far, otherwise its answer.
std::vector<std::string> signals_in(const RunState& state, const Phase& phase, bool is_at_work) {
  std::vector<std::string> signals;
  const auto add = [&](const Json& answer) {
    for (auto& each : texts_in(answer, "signal")) signals.push_back(std::move(each));
  };
  if (is_at_work)
    for (const auto& given : given_by_items(state, phase)) add(*given.answer);
  const auto answer = state.answers.find(phase.id);
  if (!signals.empty() || answer == state.answers.end()) return signals;
  const Json& value = answer->second.value;
  for (const auto& each : value.is_array() ? value : Json::array({value})) add(each);
  return signals;
}

std::optional<std::int64_t> number_in(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(text);
}

struct Field {
  std::string value;
  std::int64_t sum = 0;
  bool is_number = true;
  bool is_alike = true;
  std::size_t count = 0;
};

void add_field(std::map<std::string, Field>& fields, std::string_view part) {
  const std::size_t colon = part.find(':');
  if (colon == std::string_view::npos) return;
  Field& field = fields[std::string(part.substr(0, colon))];
  const std::string value(part.substr(colon + 1));
  const auto number = number_in(value);
  field.is_number = field.is_number && number.has_value();
  field.sum = std::min(field.sum + number.value_or(0), kSummandMax);
  field.is_alike = field.count == 0 || (field.is_alike && field.value == value);
  field.value = value;
  ++field.count;
}

}  // namespace

std::string joined_signal(const std::vector<std::string>& signals) {
  if (signals.empty()) return {};
  if (signals.size() == 1) return signals.front();
  const auto badness = [](std::string_view status) {
    return std::find(kStatuses.begin(), kStatuses.end(), status) - kStatuses.begin();
  };
  std::string status(kStatuses.front());
  std::map<std::string, Field> fields;
  for (const auto& signal : signals) {
    std::string_view rest = signal;
    const std::string_view own = rest.substr(0, rest.find('|'));
    if (badness(own) > badness(status)) status = own;
    for (std::size_t bar = rest.find('|'); bar != std::string_view::npos; bar = rest.find('|')) {
      rest.remove_prefix(bar + 1);
      add_field(fields, rest.substr(0, rest.find('|')));
    }
  }
  std::string text = fmt::format("{}|parts:{}", status, signals.size());
  for (const auto& [name, field] : fields) {
    if (!field.is_number && (!field.is_alike || field.count != signals.size())) continue;
    const std::string part =
        field.is_number ? fmt::format("|{}:{}", name, field.sum) : fmt::format("|{}:{}", name, field.value);
    if (text.size() + part.size() <= kSignalMaxBytes) text += part;
  }
  return text;
}

Json signals_of(const Pinned& pinned, const RunState& state) {
  Json by_stage = Json::object();
  std::map<std::string, std::int64_t> latest;
  for (const auto& phase : pinned.workflow.phases) {
    const auto answered = state.answer_order.find(phase.id);
    std::int64_t order = answered == state.answer_order.end() ? 0 : answered->second;
    const bool is_at_work = phase.id == state.phase && !state.items.empty() && (order == 0 || order < state.answered);
    const auto signals = signals_in(state, phase, is_at_work);
    if (signals.empty()) continue;
    if (is_at_work) order = state.answered + 1;
    const std::string key = key_of(phase);
    const auto before = latest.find(key);
    if (before != latest.end() && before->second > order) continue;
    latest[key] = order;
    by_stage[key] = joined_signal(signals);
  }
  return by_stage.empty() ? Json() : by_stage;
}

Json insights_of(const Pinned& pinned, const RunState& state) {
  Json by_stage = Json::object();
  for (const auto& phase : pinned.workflow.phases)
    for (const auto& given : given_in(state, phase))
      for (auto& insight : texts_in(*given.answer, "insights")) {
        Json& list = by_stage[key_of(phase)];
        if (std::find(list.begin(), list.end(), insight) == list.end()) list.push_back(std::move(insight));
      }
  return by_stage.empty() ? Json() : by_stage;
}

std::vector<std::pair<std::string, std::string>> unchecked_claims(const Pinned& pinned, const RunState& state) {
  std::vector<std::pair<std::string, std::string>> claims;
  std::set<std::string> known;
  for (const auto& phase : pinned.workflow.phases)
    for (const auto& given : given_in(state, phase)) {
      for (auto& checked : texts_in(*given.answer, "verdicts")) known.insert(std::move(checked));
      for (auto& claim : texts_in(*given.answer, "claims")) claims.emplace_back(std::move(claim), given.step);
    }
  std::erase_if(claims, [&](const auto& claim) { return !known.insert(claim.first).second; });
  return claims;
}

}  // namespace teamster::workflow
