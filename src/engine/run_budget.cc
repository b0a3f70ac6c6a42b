#include "engine/run_budget.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr double kMost = 1e12;

tl::unexpected<Error> not_a_budget(std::string_view part) {
  return fail(Code::invalid, fmt::format("{} is not a budget", quoted(part, 80)),
              "Write for example 5usd, 100ktokens, 2mtokens, 50turns or 2h");
}

// "100k" with 0 < value; k and m only where things are counted.
Result<double> amount(std::string_view part, std::string_view text, bool is_counted) {
  double factor = 1;
  if (is_counted && text.ends_with('k')) factor = 1e3;
  if (is_counted && text.ends_with('m')) factor = 1e6;
  if (factor != 1) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return not_a_budget(part);
  value *= factor;
  if (!(value > 0) || value > kMost) return not_a_budget(part);
  if (is_counted && value != std::floor(value)) return not_a_budget(part);
  return value;
}

Result<void> add_part(std::string_view part, workflow::Budget& budget) {
  const auto before = [&](std::string_view unit) { return part.substr(0, part.size() - unit.size()); };
  if (part.ends_with("usd")) {
    budget.usd = TRY(amount(part, before("usd"), false));
  } else if (part.ends_with("tokens")) {
    budget.tokens = static_cast<std::int64_t>(TRY(amount(part, before("tokens"), true)));
  } else if (part.ends_with("turns")) {
    budget.turns = static_cast<std::int64_t>(TRY(amount(part, before("turns"), true)));
  } else {
    const bool has_unit = !part.empty() && std::isalpha(static_cast<unsigned char>(part.back())) != 0;
    const auto time = parse_duration(part);
    if (!has_unit || !time || *time <= Duration::zero()) return not_a_budget(part);
    budget.time = *time;
  }
  return {};
}

}  // namespace

Result<workflow::Budget> parse_budget(std::string_view text) {
  workflow::Budget budget;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    TRY_VOID(add_part(trimmed(text.substr(at, end - at)), budget));
    at = end + 1;
  }
  return budget;
}

Result<void> apply_budget(std::string_view text, workflow::Budget& budget) {
  if (text.empty()) return {};
  const workflow::Budget given = TRY(parse_budget(text));
  if (given.usd) budget.usd = given.usd;
  if (given.tokens) budget.tokens = given.tokens;
  if (given.turns) budget.turns = given.turns;
  if (given.time) budget.time = given.time;
  return {};
}

namespace {

template <class Amount>
void take_smaller(const std::optional<Amount>& given, std::optional<Amount>& limit) {
  if (given && (!limit || *given < *limit)) limit = given;
}

}  // namespace

Result<void> limit_budget(std::string_view text, workflow::Budget& budget) {
  if (text.empty()) return {};
  const workflow::Budget given = TRY(parse_budget(text));
  take_smaller(given.usd, budget.usd);
  take_smaller(given.tokens, budget.tokens);
  take_smaller(given.turns, budget.turns);
  take_smaller(given.time, budget.time);
  return {};
}

std::string budget_left(const workflow::Budget& budget, const workflow::RunState& state) {
  const auto used = state.usage.find("run");
  const workflow::RunUsage sum = used == state.usage.end() ? workflow::RunUsage{} : used->second;
  const auto worked = state.worked_ms.find("run");
  const auto raised = state.raised.find("run");
  const std::int64_t times = 1 + (raised == state.raised.end() ? 0 : raised->second);
  std::vector<std::string> parts;
  if (budget.usd)
    parts.push_back(fmt::format("{:.6f}usd", std::max(*budget.usd * static_cast<double>(times) - sum.usd, 1e-6)));
  if (budget.tokens)
    parts.push_back(fmt::format("{}tokens", std::max<std::int64_t>(*budget.tokens * times - sum.tokens, 1)));
  if (budget.turns)
    parts.push_back(fmt::format("{}turns", std::max<std::int64_t>(*budget.turns * times - sum.turns, 1)));
  if (budget.time) {
    const std::int64_t ms = worked == state.worked_ms.end() ? 0 : worked->second;
    parts.push_back(fmt::format("{}ms", std::max<std::int64_t>(to_ms(*budget.time) * times - ms, 1)));
  }
  return join(parts, ",");
}

}  // namespace teamster::engine
