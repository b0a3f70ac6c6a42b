#include "script/place.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::script {
namespace {

constexpr int kFormat = 1;

std::string cut(std::string_view text) {
  if (text.size() <= limits::kScriptHeardMaxBytes) return std::string(text);
  text = text.substr(0, limits::kScriptHeardMaxBytes);
  // Not through the middle of a character.
  if (const auto bad = find_invalid_utf8(text)) text = text.substr(0, *bad);
  return std::string(text) + "…";
}

Json usage_json(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"output_tokens", usage.output_tokens},
          {"cache_read_input_tokens", usage.cache_read_input_tokens},
          {"cache_creation_input_tokens", usage.cache_creation_input_tokens},
          {"cost_usd", usage.cost_usd}};
}

Result<Usage> usage_from(const Json& json) {
  Usage usage;
  usage.input_tokens = TRY(integer_field(json, "input_tokens"));
  usage.output_tokens = TRY(integer_field(json, "output_tokens"));
  usage.cache_read_input_tokens = TRY(integer_field(json, "cache_read_input_tokens"));
  usage.cache_creation_input_tokens = TRY(integer_field(json, "cache_creation_input_tokens"));
  if (const auto cost = json.find("cost_usd"); cost != json.end() && cost->is_number()) usage.cost_usd = *cost;
  return usage;
}

Result<void> begin(Place& place, const Json& record) {
  if (TRY(integer_field(record, "format")) != kFormat)
    return fail(Code::invalid, fmt::format("format {} is unknown", dump_json(record["format"])));
  place.session_id = TRY(string_field(record, "session"));
  place.model = TRY(string_field(record, "model"));
  return {};
}

Result<void> take_prompt(Place& place, const Json& record) {
  place.heard.push_back(TRY(string_field(record, "prompt")));
  ++place.prompts;
  if (const auto turn = TRY(optional_integer_field(record, "turn"))) {
    place.current = Place::Current{.turn = static_cast<int>(*turn), .next_step = 0, .said = {}, .usage = {}};
    if (*turn >= 0) place.used.insert(static_cast<int>(*turn));
  } else if (!place.current) {
    return fail(Code::invalid, "there is no turn to go on with");
  }
  return {};
}

Result<void> take_step(Place& place, const Json& record) {
  if (!place.current) return fail(Code::invalid, "a step outside a turn");
  place.current->next_step = static_cast<std::size_t>(TRY(integer_field(record, "step"))) + 1;
  if (auto said = TRY(optional_string_field(record, "said"))) place.current->said = *std::move(said);
  if (const auto usage = record.find("usage"); usage != record.end()) {
    const Usage spent = TRY(usage_from(*usage));
    place.current->usage += spent;
    place.spent[place.model] += spent;
  }
  if (const auto name = TRY(optional_string_field(record, "save"))) place.saved[*name] = record.value("saved", Json());
  return {};
}

}  // namespace

Usage Place::total() const {
  Usage sum;
  for (const auto& [name, usage] : spent) sum += usage;
  return sum;
}

Result<void> Place::apply(const Json& record) {
  if (!record.is_object()) return fail(Code::invalid, "a record is no object");
  if (record.contains("format")) return begin(*this, record);
  if (record.contains("prompt")) return take_prompt(*this, record);
  if (record.contains("step")) return take_step(*this, record);
  if (record.contains("message")) {
    heard.push_back(TRY(string_field(record, "message")));
  } else if (record.contains("model")) {
    model = TRY(string_field(record, "model"));
  } else if (record.contains("end")) {
    current.reset();
  } else {
    return fail(Code::invalid, "a record of no known kind");
  }
  return {};
}

Result<Place> Place::replay(std::string_view text, std::size_t& used_bytes) {
  Place place;
  used_bytes = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', used_bytes);
    if (end == text.npos) break;
    const auto record = parse_json(text.substr(used_bytes, end - used_bytes));
    const auto applied = record ? place.apply(*record) : Result<void>(fail(record.error()));
    if (!applied) return fail(applied.error().within(fmt::format("line {}", line)));
    used_bytes = end + 1;
  }
  if (place.session_id.empty()) return fail(Code::invalid, "it holds no session");
  return place;
}

namespace record {

Json session(const std::string& id, const std::string& model) {
  return {{"format", kFormat}, {"session", id}, {"model", model}};
}

Json model(const std::string& name) { return {{"model", name}}; }

Json prompt(std::string_view text, std::optional<int> turn) {
  Json json = {{"prompt", cut(text)}};
  if (turn) json["turn"] = *turn;
  return json;
}

Json message(std::string_view text) { return {{"message", cut(text)}}; }

Json step(std::size_t index, const StepFacts& facts) {
  Json json = {{"step", index}};
  if (facts.said) json["said"] = *facts.said;
  if (facts.usage) json["usage"] = usage_json(*facts.usage);
  if (facts.saved) {
    json["save"] = facts.saved->first;
    json["saved"] = facts.saved->second;
  }
  return json;
}

Json end() { return {{"end", true}}; }

}  // namespace record
}  // namespace teamster::script
