#include "team/turn.h"

#include <algorithm>
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

// `name` is "usage", of this turn alone, or "spent", of all turns that the prompt took.
Result<std::optional<UsageRecord>> checked_usage(const Json& args, const char* name) {
  const auto usage = args.find(name);
  if (usage == args.end()) return std::optional<UsageRecord>();
  if (!usage->is_object()) return fail(Code::invalid, fmt::format("'{}' is not an object", name));
  const auto tokens = [&](const char* field) -> Result<std::int64_t> {
    const auto count = TRY(optional_integer_field(*usage, field)).value_or(0);
    if (count < 0) return fail(Code::invalid, fmt::format("'{}' is negative", field));
    return count;
  };
  UsageRecord out;
  out.input_tokens = TRY(tokens("input_tokens"));
  out.output_tokens = TRY(tokens("output_tokens"));
  out.cache_read_tokens = TRY(tokens("cache_read_tokens"));
  out.cache_write_tokens = TRY(tokens("cache_write_tokens"));
  out.duration_ms = TRY(optional_integer_field(*usage, "duration_ms"));
  const auto cost = usage->find("cost_usd");
  if (cost != usage->end() && !cost->is_null()) {
    if (!cost->is_number() || !(cost->get<double>() >= 0) || cost->get<double>() > 1e9)
      return fail(Code::invalid, "'cost_usd' is not an amount of money");
    // Whole millionths, so that sums are exact.
    out.cost_microusd = std::llround(cost->get<double>() * kMicro);
  }
  return std::optional(out);
}

// As it was told.
Json told_usage(const UsageRecord& usage) {
  Json told = usage.json();
  told.erase("cost_microusd");
  if (usage.cost_microusd) told["cost_usd"] = static_cast<double>(*usage.cost_microusd) / kMicro;
  return told;
}

Result<std::optional<std::string>> short_text(const Json& args, const char* field, std::size_t max_bytes) {
  auto text = TRY(optional_string_field(args, field));
  if (text && text->size() > max_bytes)
    return fail(Code::invalid, fmt::format("'{}' has {} bytes, the limit is {}", field, text->size(), max_bytes));
  return text;
}

Result<std::optional<std::vector<MessageId>>> checked_messages(const Json& args) {
  const auto messages = args.find("messages");
  if (messages == args.end()) return std::optional<std::vector<MessageId>>();
  if (!messages->is_array() || messages->size() > limits::kPageMaxRows)
    return fail(Code::invalid, fmt::format("'messages' is not a list of up to {} numbers", limits::kPageMaxRows));
  std::vector<MessageId> ids;
  for (const auto& id : *messages) {
    if (!id.is_number_integer()) return fail(Code::invalid, "'messages' is not a list of message numbers");
    ids.emplace_back(id.get<std::int64_t>());
  }
  return std::optional(std::move(ids));
}

Result<std::optional<std::vector<std::string>>> checked_restarts(const Json& args) {
  const auto restarts = args.find("restarts");
  if (restarts == args.end()) return std::optional<std::vector<std::string>>();
  const bool is_list = restarts->is_array() && restarts->size() <= limits::kTurnRestartsMax;
  const auto is_reason = [](const Json& why) {
    return why.is_string() && why.get_ref<const std::string&>().size() <= limits::kTurnErrorMaxBytes;
  };
  if (!is_list || !std::all_of(restarts->begin(), restarts->end(), is_reason))
    return fail(Code::invalid, fmt::format("'restarts' is not a list of up to {} reasons of up to {} bytes",
                                           limits::kTurnRestartsMax, limits::kTurnErrorMaxBytes));
  return std::optional(restarts->get<std::vector<std::string>>());
}

// What is recorded about how a turn began or ended, beside whose it was.
Result<TurnAccount> checked_account(const Json& args) {
  TurnAccount account;
  account.turn = TRY(optional_integer_field(args, "turn"));
  account.prompt = TRY(short_text(args, "prompt", limits::kPromptIdMaxBytes));
  account.stop = TRY(short_text(args, "stop", limits::kTurnErrorMaxBytes));
  account.fault = TRY(short_text(args, "fault", limits::kTurnErrorMaxBytes));
  account.error = TRY(short_text(args, "error", limits::kTurnErrorMaxBytes));
  account.text = TRY(short_text(args, "text", limits::kTurnTextMaxBytes));
  account.text_bytes = TRY(optional_integer_field(args, "text_bytes"));
  account.text_sha256 = TRY(short_text(args, "text_sha256", limits::kTurnErrorMaxBytes));
  if (const auto result = args.find("result"); result != args.end()) {
    if (const std::size_t size = dump_json(*result).size(); size > limits::kTurnResultMaxBytes)
      return fail(Code::invalid,
                  fmt::format("'result' has {} bytes, the limit is {}", size, limits::kTurnResultMaxBytes));
    account.result = *result;
  }
  account.messages = TRY(checked_messages(args));
  if (TRY(flag_field(args, "retries"))) account.retries = true;
  account.restarts = TRY(checked_restarts(args));
  account.usage = TRY(checked_usage(args, "usage"));
  account.spent = TRY(checked_usage(args, "spent"));
  return account;
}

}  // namespace

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_live(scene, team, TRY(string_field(args, "member"))));
  TRY_VOID(check_epoch(member, args));
  const bool running = TRY(flag_field(args, "running"));
  auto account = TRY(checked_account(args));
  if (running && account.prompt) return fail(Code::invalid, "a turn answers its 'prompt' when it ends");
  if (member.running != running || !account.is_empty()) {
    MemberTurn turn{member.name, member.id, member.epoch, running, std::move(account)};
    TRY_VOID(scene.store.record(std::move(turn), team.id, actor.name));
  }
  return answered(
      {{"team", team.name}, {"member", {{"name", member.name}, {"epoch", member.epoch.value}}}, {"running", running}});
}

Result<Outcome> get_turn(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto end = TRY(scene.tables().turns.find_end(team.id, TRY(string_field(args, "prompt"))));
  const auto event = end ? TRY(scene.store.event(*end)) : std::nullopt;
  if (!event) return answered({{"turn", nullptr}});
  const TurnAccount account = MemberTurn::read(event->body).account;
  Json turn = event->body;
  if (account.usage) turn["usage"] = told_usage(*account.usage);
  if (account.spent) turn["spent"] = told_usage(*account.spent);
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
