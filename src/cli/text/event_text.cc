#include "cli/text/event_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kBodyColumns = 60;

bool names_a_token(const std::string& field) { return field == "token" || field.ends_with("_token"); }

// Recursion is bounded: what came from the hub is at most limits::kJsonMaxDepth deep.
void hide_tokens(Json& value) {
  if (value.is_object()) {
    for (auto& [name, field] : value.items()) {
      if (names_a_token(name) && field.is_string())
        field = "…";
      else
        hide_tokens(field);
    }
  } else if (value.is_array()) {
    for (auto& item : value) hide_tokens(item);
  }
}

// 2026-11-15T20:19:03.123Z as 2026-11-15 20:19:03
std::string time_text(std::string at) {
  if (at.size() < 19) return at;
  at[10] = ' ';
  return at.substr(0, 19);
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

}  // namespace

Json event_document(Json event) {
  const auto body = event.find("body");
  if (body == event.end() || !body->is_object()) return event;
  hide_tokens(*body);
  if (const auto usage = body->find("usage"); usage != body->end()) *usage = usage_document(std::move(*usage));
  return event;
}

Json usage_document(Json usage) {
  constexpr double kMicro = 1e6;
  if (!usage.is_object()) return usage;
  const auto cost = usage.find("cost_microusd");
  if (cost == usage.end() || !cost->is_number()) return usage;
  const double cost_usd = cost->get<double>() / kMicro;
  usage.erase(cost);
  usage["cost_usd"] = cost_usd;
  return usage;
}

std::string event_text(const Json& event) {
  std::string body = text_in(event, "body");
  const std::string run = text_in(event, "run");
  return fmt::format("{:>6}  {}  {:<18}  {:<10}  {:<10}  {}", number_in(event, "seq"), time_text(text_in(event, "at")),
                     text_in(event, "kind"), run.empty() ? or_dash(text_in(event, "team")) : run,
                     or_dash(text_in(event, "actor")), cut_to_columns(body, kBodyColumns));
}

std::string record_text(const Json& record) {
  constexpr std::size_t kRecordBodyColumns = 80;
  return fmt::format("{:>6}  {}  {:<18}  {}", number_in(record, "n"), time_text(text_in(record, "at")),
                     text_in(record, "kind"), cut_to_columns(text_in(record, "body"), kRecordBodyColumns));
}

}  // namespace teamster::cli
