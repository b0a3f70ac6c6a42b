#include "cli/text/event_text.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

// What is shorter may have parts of its own and is shown nevertheless, as [4].
constexpr std::size_t kPartsColumns = 16;

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

// "to tester, priority normal"
std::string body_words(const Json& body, Detail detail) {
  if (!body.is_object()) return body.is_null() ? std::string() : printable_line(dump_json(body));
  std::vector<std::string> parts;
  for (const auto& [name, value] : body.items()) {
    const std::string whole = text_in(body, name);
    const bool is_left_out = detail == Detail::for_people && value.is_structured() && columns_of(whole) > kPartsColumns;
    const std::string text = is_left_out ? std::string(value.is_array() ? "[…]" : "{…}") : whole;
    if (!text.empty() && !(detail == Detail::for_people && value.is_structured() && value.empty()))
      parts.push_back(fmt::format("{} {}", printable_line(name), text));
  }
  return join(parts, ", ");
}

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

std::string event_text(const Json& event, const Palette& palette, Detail detail) {
  const std::string run = text_in(event, "run");
  return fmt::format("{:>6}  {}  {:<18}  {:<10}  {:<10}  {}", number_in(event, "seq"),
                     palette.dim(time_text(text_in(event, "at"))), text_in(event, "kind"),
                     run.empty() ? or_dash(text_in(event, "team")) : run, or_dash(text_in(event, "actor")),
                     body_words(field_in(event, "body"), detail));
}

}  // namespace teamster::cli
