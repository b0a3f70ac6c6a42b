#include "team/turn.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "protocol/words/team_records.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

constexpr double kMicro = 1e6;

Result<UsageRecord> checked_usage(const Json& usage) {
  if (!usage.is_object()) return fail(Code::invalid, "'usage' is not an object");
  const auto tokens = [&](const char* field) -> Result<std::int64_t> {
    const auto count = TRY(optional_integer_field(usage, field)).value_or(0);
    if (count < 0) return fail(Code::invalid, fmt::format("'{}' is negative", field));
    return count;
  };
  UsageRecord out;
  out.input_tokens = TRY(tokens("input_tokens"));
  out.output_tokens = TRY(tokens("output_tokens"));
  out.cache_read_tokens = TRY(tokens("cache_read_tokens"));
  out.cache_write_tokens = TRY(tokens("cache_write_tokens"));
  const auto cost = usage.find("cost_usd");
  if (cost != usage.end() && !cost->is_null()) {
    if (!cost->is_number() || !(cost->get<double>() >= 0) || cost->get<double>() > 1e9)
      return fail(Code::invalid, "'cost_usd' is not an amount of money");
    out.cost_microusd = std::llround(cost->get<double>() * kMicro);
  }
  return out;
}

Result<std::optional<std::string>> short_text(const Json& args, const char* field) {
  auto text = TRY(optional_string_field(args, field));
  if (text && text->size() > limits::kTurnTextMaxBytes)
    return fail(Code::invalid,
                fmt::format("'{}' has {} bytes, the limit is {}", field, text->size(), limits::kTurnTextMaxBytes));
  return text;
}

Result<std::vector<MessageId>> checked_messages(const Json& messages) {
  if (!messages.is_array() || messages.size() > limits::kPageMaxRows)
    return fail(Code::invalid, fmt::format("'messages' is not a list of up to {} numbers", limits::kPageMaxRows));
  std::vector<MessageId> ids;
  for (const auto& id : messages) {
    if (!id.is_number_integer()) return fail(Code::invalid, "'messages' is not a list of message numbers");
    ids.emplace_back(id.get<std::int64_t>());
  }
  return ids;
}

Result<TurnAccount> checked_account(const Json& args) {
  TurnAccount account;
  account.turn = TRY(optional_integer_field(args, "turn"));
  account.stop = TRY(short_text(args, "stop"));
  account.error = TRY(short_text(args, "error"));
  account.text = TRY(short_text(args, "text"));
  if (const auto result = args.find("result"); result != args.end()) account.result = *result;
  if (const auto messages = args.find("messages"); messages != args.end())
    account.messages = TRY(checked_messages(*messages));
  if (const auto usage = args.find("usage"); usage != args.end()) account.usage = TRY(checked_usage(*usage));
  return account;
}

}  // namespace

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_live(scene, team, TRY(string_field(args, "member"))));
  TRY_VOID(check_epoch(member, args));
  const bool running = TRY(flag_field(args, "running"));
  auto account = TRY(checked_account(args));
  if (member.running != running || !account.is_empty()) {
    MemberTurn turn{member.name, member.id, member.epoch, running, std::move(account)};
    TRY_VOID(scene.store.record(std::move(turn), team.id, actor.name));
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
