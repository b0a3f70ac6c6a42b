#include "project/ledger_index.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "project/project_path.h"

namespace teamster::engine {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kFixedKeys = {"status", "current_phase", "next_sequence", "iterations",
                                                        "phases"};
constexpr std::array kStatuses = {LedgerStatus::in_progress, LedgerStatus::done, LedgerStatus::blocked};
constexpr std::array kPhaseStatuses = {LedgerPhaseStatus::pending, LedgerPhaseStatus::in_progress,
                                       LedgerPhaseStatus::done};

bool is_fixed(std::string_view key) { return std::find(kFixedKeys.begin(), kFixedKeys.end(), key) != kFixedKeys.end(); }

tl::unexpected<Error> mistake(const std::string& path, std::string_view what) {
  return fail(Code::invalid, fmt::format("{}: {}", path, what),
              "Mend it, take it from the last commit, or move it away to begin anew");
}

tl::unexpected<Error> mistake(const std::string& path, const Error& error) { return mistake(path, error.what); }

// "path:3" for text that is not JSON: people look for a line, parse_json counts bytes.
std::string with_line(const std::string& path, std::string_view text) {
  try {
    const auto fine = OrderedJson::parse(text);
  } catch (const OrderedJson::parse_error& error) {
    const std::size_t bytes = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto before = text.substr(0, bytes);
    return fmt::format("{}:{}", path, 1 + std::count(before.begin(), before.end(), '\n'));
  } catch (const OrderedJson::exception&) {
    // A number that does not fit; it has no place.
  }
  return path;
}

// The text has passed parse_json, so depth and size are within bounds. A key given twice is
// not ours to choose from.
Result<OrderedJson> parse_ordered(const std::string& path, std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto look = [&](int, OrderedJson::parse_event_t event, OrderedJson& parsed) {
    if (event == OrderedJson::parse_event_t::object_start) keys.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end) keys.pop_back();
    if (event == OrderedJson::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  auto json = OrderedJson::parse(text, look, /*allow_exceptions=*/false);
  if (!twice.empty()) return mistake(path, fmt::format("the key {} is there twice", quoted(twice, 80)));
  return json;
}

Result<OrderedJson> parse_ledger_index(const std::string& path, std::string_view text) {
  if (const auto json = parse_json(text, {.max_bytes = limits::kLedgerIndexMaxBytes}); !json)
    return mistake(with_line(path, text), json.error());
  auto ordered = TRY(parse_ordered(path, text));
  if (!ordered.is_object()) return mistake(path, "it is not a JSON object");
  return ordered;
}

template <class Status, std::size_t n>
Result<Status> status_field(const std::array<Status, n>& all, const Json& object) {
  const std::string text = TRY(string_field(object, "status"));
  std::vector<std::string> names;
  for (const Status status : all) {
    if (to_string(status) == text) return status;
    names.emplace_back(to_string(status));
  }
  return fail(Code::invalid, fmt::format("status is {}, expected one of {}", quoted(text, 40), join(names, ", ")));
}

Result<std::int64_t> count_field(const Json& object, std::string_view name, std::int64_t least) {
  const std::int64_t value = TRY(integer_field(object, name));
  if (value < least) return fail(Code::invalid, fmt::format("{} is {}, expected {} or more", name, value, least));
  return value;
}

Result<const Json*> object_field(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_object())
    return fail(Code::invalid, fmt::format("field '{}' is {}", name,
                                           found == object.end() ? "missing, expected an object" : "not an object"));
  return &*found;
}

Result<LedgerPhase> read_phase(const std::string& key, const Json& json) {
  if (!json.is_object()) return fail(Code::invalid, "it is not an object");
  LedgerPhase phase;
  phase.key = key;
  phase.status = TRY(status_field(kPhaseStatuses, json));
  phase.latest = TRY(optional_string_field(json, "latest"));
  if (phase.latest) TRY_VOID(check_file_name("latest", *phase.latest));
  return phase;
}

Result<void> read_fixed(const Json& json, LedgerState& state) {
  state.status = TRY(status_field(kStatuses, json));
  state.current_phase = TRY(count_field(json, "current_phase", 1));
  state.next_sequence = TRY(count_field(json, "next_sequence", 1));
  const Json* iterations = TRY(object_field(json, "iterations"));
  for (const auto& [name, value] : iterations->items()) {
    auto count = count_field(*iterations, name, 0);
    if (!count) return fail(count.error().within("iterations"));
    state.iterations[name] = *count;
  }
  TRY_VOID(object_field(json, "phases"));
  return {};
}

void put_phase(OrderedJson& phases, const LedgerPhase& phase) {
  auto& entry = phases[phase.key];
  if (!entry.is_object()) entry = OrderedJson::object();
  entry["status"] = to_string(phase.status);
  entry["latest"] = phase.latest ? OrderedJson(*phase.latest) : OrderedJson(nullptr);
}

}  // namespace

Result<LedgerState> read_ledger_index(const std::string& path, std::string_view text) {
  const OrderedJson ordered = TRY(parse_ledger_index(path, text));
  const Json json = ordered;
  LedgerState state;
  if (const auto good = read_fixed(json, state); !good) return mistake(path, good.error());
  for (const auto& [key, value] : ordered.items())
    if (!is_fixed(key)) state.fields.emplace_back(key, value);
  for (const auto& [key, value] : ordered["phases"].items()) {
    auto phase = read_phase(key, value);
    if (!phase) return mistake(path, phase.error().within(fmt::format("phases, {}", quoted(key, 80))));
    state.phases.push_back(*std::move(phase));
  }
  return state;
}

Result<std::string> change_ledger_index(const std::string& path, std::string_view text, const LedgerState& state) {
  OrderedJson json = OrderedJson::object();
  if (!text.empty()) {
    // Also what is well-formed and has another meaning is not for us to overwrite.
    TRY_VOID(read_ledger_index(path, text));
    json = TRY(parse_ledger_index(path, text));
  }
  for (const auto& [name, value] : state.fields) {
    if (is_fixed(name))
      return fail(Code::invalid, fmt::format("the ledger has a field {}, which is one of the manifest's own", name),
                  "Give it another name in the workflow");
    // Only when it differs: the order of keys inside a value is not in the state.
    if (!json.contains(name) || Json(json[name]) != value) json[name] = OrderedJson(value);
  }
  json["status"] = to_string(state.status);
  json["current_phase"] = state.current_phase;
  json["next_sequence"] = state.next_sequence;
  auto& iterations = json["iterations"];
  if (!iterations.is_object()) iterations = OrderedJson::object();
  for (const auto& [name, count] : state.iterations) iterations[name] = count;
  auto& phases = json["phases"];
  if (!phases.is_object()) phases = OrderedJson::object();
  for (const auto& phase : state.phases) put_phase(phases, phase);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace teamster::engine
