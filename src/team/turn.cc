#include "team/turn.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

constexpr double kMicro = 1e6;

// `field` is "usage", of this turn alone, or "spent", of all turns that the prompt took.
Result<Json> checked_usage(const Json& usage, const char* name) {
  if (!usage.is_object()) return fail(Code::invalid, fmt::format("'{}' is not an object", name));
  Json out = Json::object();
  for (const char* field : {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"}) {
    const auto tokens = TRY(optional_integer_field(usage, field)).value_or(0);
    if (tokens < 0) return fail(Code::invalid, fmt::format("'{}' is negative", field));
    out[field] = tokens;
  }
  if (const auto duration = TRY(optional_integer_field(usage, "duration_ms"))) out["duration_ms"] = *duration;
  const auto cost = usage.find("cost_usd");
  if (cost != usage.end() && !cost->is_null()) {
    if (!cost->is_number() || !(cost->get<double>() >= 0) || cost->get<double>() > 1e9)
      return fail(Code::invalid, "'cost_usd' is not an amount of money");
    // Whole millionths, so that sums are exact.
    out["cost_microusd"] = std::llround(cost->get<double>() * kMicro);
  }
  return out;
}

// As it was told.
Json told_usage(Json usage) {
  if (const auto cost = usage.find("cost_microusd"); cost != usage.end()) {
    usage["cost_usd"] = static_cast<double>(cost->get<std::int64_t>()) / kMicro;
    usage.erase("cost_microusd");
  }
  return usage;
}

Result<void> add_texts(const Json& args, Json& account) {
  constexpr std::pair<const char*, std::size_t> kTexts[] = {
      {"stop", limits::kTurnErrorMaxBytes},        {"fault", limits::kTurnErrorMaxBytes},
      {"error", limits::kTurnErrorMaxBytes},       {"text", limits::kTurnTextMaxBytes},
      {"text_sha256", limits::kTurnErrorMaxBytes}, {"prompt", limits::kPromptIdMaxBytes}};
  for (const auto& [field, max_bytes] : kTexts) {
    const auto text = TRY(optional_string_field(args, field));
    if (!text) continue;
    if (text->size() > max_bytes)
      return fail(Code::invalid, fmt::format("'{}' has {} bytes, the limit is {}", field, text->size(), max_bytes));
    account[field] = *text;
  }
  return {};
}

Result<void> add_lists(const Json& args, Json& account) {
  if (const auto messages = args.find("messages"); messages != args.end()) {
    if (!messages->is_array() || messages->size() > limits::kPageMaxRows)
      return fail(Code::invalid, fmt::format("'messages' is not a list of up to {} numbers", limits::kPageMaxRows));
    for (const auto& id : *messages)
      if (!id.is_number_integer()) return fail(Code::invalid, "'messages' is not a list of message numbers");
    account["messages"] = *messages;
  }
  if (const auto restarts = args.find("restarts"); restarts != args.end()) {
    const bool is_list = restarts->is_array() && restarts->size() <= limits::kTurnRestartsMax;
    const auto is_reason = [](const Json& why) {
      return why.is_string() && why.get_ref<const std::string&>().size() <= limits::kTurnErrorMaxBytes;
    };
    if (!is_list || !std::all_of(restarts->begin(), restarts->end(), is_reason))
      return fail(Code::invalid, fmt::format("'restarts' is not a list of up to {} reasons of up to {} bytes",
                                             limits::kTurnRestartsMax, limits::kTurnErrorMaxBytes));
    account["restarts"] = *restarts;
  }
  return {};
}

// What is recorded about how a turn began or ended, beside whose it was.
Result<Json> checked_account(const Json& args) {
  Json account = Json::object();
  for (const char* field : {"turn", "text_bytes"})
    if (const auto number = TRY(optional_integer_field(args, field))) account[field] = *number;
  TRY_VOID(add_texts(args, account));
  TRY_VOID(add_lists(args, account));
  if (const auto result = args.find("result"); result != args.end()) {
    if (const std::size_t size = dump_json(*result).size(); size > limits::kTurnResultMaxBytes)
      return fail(Code::invalid,
                  fmt::format("'result' has {} bytes, the limit is {}", size, limits::kTurnResultMaxBytes));
    account["result"] = *result;
  }
  for (const char* field : {"usage", "spent"})
    if (const auto usage = args.find(field); usage != args.end()) account[field] = TRY(checked_usage(*usage, field));
  return account;
}

}  // namespace

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_live(scene, team, TRY(string_field(args, "member"))));
  TRY_VOID(check_epoch(member, args));
  const bool running = TRY(flag_field(args, "running"));
  Json body = TRY(checked_account(args));
  if (running && body.contains("prompt")) return fail(Code::invalid, "a turn answers its 'prompt' when it ends");
  if (member.running != running || !body.empty()) {
    body["member"] = member.name;
    body["member_id"] = member.id.value;
    body["epoch"] = member.epoch.value;
    body["running"] = running;
    TRY_VOID(scene.store.record(store::kind::kMemberTurn, team.id, actor.name, std::move(body)));
  }
  return answered(
      {{"team", team.name}, {"member", {{"name", member.name}, {"epoch", member.epoch.value}}}, {"running", running}});
}

Result<Outcome> get_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto end = TRY(scene.tables().turns.find_end(team.id, TRY(string_field(args, "prompt"))));
  const auto event = end ? TRY(scene.store.event(*end)) : std::nullopt;
  if (!event) return answered({{"turn", nullptr}});
  Json turn = event->body;
  for (const char* field : {"usage", "spent"})
    if (turn.contains(field)) turn[field] = told_usage(turn[field]);
  return answered({{"turn", std::move(turn)}});
}

Json usage_json(const store::UsageTotals& usage) {
  return Json{{"turns", usage.turns},
              {"input_tokens", usage.input_tokens},
              {"output_tokens", usage.output_tokens},
              {"cache_read_tokens", usage.cache_read_tokens},
              {"cache_write_tokens", usage.cache_write_tokens},
              {"cost_usd", static_cast<double>(usage.cost_microusd) / kMicro}};
}

}  // namespace teamster::team
