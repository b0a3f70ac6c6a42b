#include "team/turn.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

constexpr double kMicro = 1e6;

Result<Json> checked_usage(const Json& usage) {
  if (!usage.is_object()) return fail(Code::invalid, "'usage' is not an object");
  Json out = Json::object();
  for (const char* field : {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"}) {
    const auto tokens = TRY(optional_integer_field(usage, field)).value_or(0);
    if (tokens < 0) return fail(Code::invalid, fmt::format("'{}' is negative", field));
    out[field] = tokens;
  }
  const auto cost = usage.find("cost_usd");
  if (cost != usage.end() && !cost->is_null()) {
    if (!cost->is_number() || !(cost->get<double>() >= 0) || cost->get<double>() > 1e9)
      return fail(Code::invalid, "'cost_usd' is not an amount of money");
    // Whole millionths, so that sums are exact.
    out["cost_microusd"] = std::llround(cost->get<double>() * kMicro);
  }
  return out;
}

// What is recorded about how a turn began or ended, beside whose it was.
Result<Json> checked_account(const Json& args) {
  Json account = Json::object();
  if (const auto turn = TRY(optional_integer_field(args, "turn"))) account["turn"] = *turn;
  for (const char* field : {"stop", "error", "text"}) {
    const auto text = TRY(optional_string_field(args, field));
    if (!text) continue;
    if (text->size() > limits::kTurnTextMaxBytes)
      return fail(Code::invalid,
                  fmt::format("'{}' has {} bytes, the limit is {}", field, text->size(), limits::kTurnTextMaxBytes));
    account[field] = *text;
  }
  if (const auto result = args.find("result"); result != args.end()) account["result"] = *result;
  if (const auto messages = args.find("messages"); messages != args.end()) {
    if (!messages->is_array() || messages->size() > limits::kPageMaxRows)
      return fail(Code::invalid, fmt::format("'messages' is not a list of up to {} numbers", limits::kPageMaxRows));
    for (const auto& id : *messages)
      if (!id.is_number_integer()) return fail(Code::invalid, "'messages' is not a list of message numbers");
    account["messages"] = *messages;
  }
  if (const auto usage = args.find("usage"); usage != args.end()) account["usage"] = TRY(checked_usage(*usage));
  return account;
}

}  // namespace

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_live(scene, team, TRY(string_field(args, "member"))));
  TRY_VOID(check_epoch(member, args));
  const bool running = TRY(flag_field(args, "running"));
  Json body = TRY(checked_account(args));
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

Json usage_json(const store::UsageTotals& usage) {
  return Json{{"turns", usage.turns},
              {"input_tokens", usage.input_tokens},
              {"output_tokens", usage.output_tokens},
              {"cache_read_tokens", usage.cache_read_tokens},
              {"cache_write_tokens", usage.cache_write_tokens},
              {"cost_usd", static_cast<double>(usage.cost_microusd) / kMicro}};
}

}  // namespace teamster::team
