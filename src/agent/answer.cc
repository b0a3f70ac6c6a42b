#include "agent/answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::agent {
namespace {

// How far back we look for the beginning of the last JSON value: each try parses to the end.
constexpr std::size_t kTriesMax = 2000;

std::optional<Json> parsed(std::string_view text) {
  auto json = parse_json(text);
  if (!json || !(json->is_object() || json->is_array())) return std::nullopt;
  return *std::move(json);
}

std::optional<Json> last_fenced(std::string_view text) {
  for (std::size_t end = text.rfind("```"); end != text.npos && end > 0; end = text.rfind("```", end - 1)) {
    const std::size_t open = text.rfind("```", end - 1);
    if (open == text.npos) return std::nullopt;
    const std::size_t body = text.find('\n', open);
    if (body != text.npos && body < end)
      if (auto json = parsed(text.substr(body, end - body))) return json;
    end = open;
    if (end == 0) return std::nullopt;
  }
  return std::nullopt;
}

// A result is recorded whole or not at all.
std::vector<std::string> problems_of_size(const Json& value) {
  const auto fits = parse_json(dump_json(value), {.max_bytes = limits::kTurnResultMaxBytes,  //
                                                  .max_depth = limits::kTurnResultMaxDepth});
  if (fits) return {};
  return {"it cannot be recorded: " + fits.error().what};
}

std::string listed(const std::vector<std::string>& problems) {
  std::string text;
  for (const auto& problem : problems) text += "- " + problem + "\n";
  return text;
}

}  // namespace

std::optional<Json> last_json(std::string_view text) {
  if (auto whole = parsed(text)) return whole;
  if (auto fenced = last_fenced(text)) return fenced;
  // Bare: from the last closing bracket back to an opening one that makes it whole. The
  // outermost such value is the answer, not what it holds.
  const std::size_t end = text.find_last_of("}]");
  if (end == text.npos) return std::nullopt;
  const char opening = text[end] == '}' ? '{' : '[';
  std::optional<Json> found;
  std::size_t tries = 0;
  for (std::size_t begin = text.rfind(opening, end); begin != text.npos && tries < kTriesMax; ++tries) {
    if (auto json = parsed(text.substr(begin, end + 1 - begin))) found = std::move(json);
    if (begin == 0) break;
    begin = text.rfind(opening, begin - 1);
  }
  return found;
}

Answer find_answer(const AnswerSources& sources, const schema::Schema& schema) {
  Answer best;
  const auto failed = [&](const char* source, std::vector<std::string> problems) {
    if (best.source.empty()) best = {std::nullopt, source, std::move(problems)};
  };
  const auto attempt = [&](const char* source, const std::optional<Json>& value) {
    if (best.value || !value) return;
    auto problems = schema.check(*value);
    if (problems.empty()) problems = problems_of_size(*value);
    if (problems.empty())
      best = {*value, source, {}};
    else
      failed(source, std::move(problems));
  };
  attempt("report", sources.report);
  if (!best.value && !sources.refused_report.empty()) failed("report", sources.refused_report);
  attempt("structured output", sources.structured);
  attempt("text", last_json(sources.text));
  if (!best.value && best.source.empty()) best.problems = {"there is no JSON in the answer"};
  return best;
}

std::string schema_instructions(const Json& schema, const AnswerWay& way) {
  const std::string words = fmt::format("end your answer with {}the result as one JSON block",
                                        way.marker.empty() ? "" : fmt::format("the line {} and ", way.marker));
  std::string text = way.has_report
                         ? "\n\nHand in the result with the team tool `report`: it says what is wrong with it, and "
                           "when it has taken it your turn is over. If you cannot call it, " +
                               words + "."
                         : "\n\nWhen you are done, " + words + ", with nothing behind it.";
  if (way.is_form_shown) return text + "\n";
  return text + fmt::format(" It must conform to this JSON Schema:\n{}\n", dump_json(schema));
}

std::string mend_request(const Answer& answer, const Json& schema) {
  return fmt::format(
      "Your last answer cannot be used{}:\n{}Answer again with the JSON only, please: no other words. It must conform "
      "to this JSON Schema:\n{}\n",
      answer.source.empty() ? "" : " (" + answer.source + ")", listed(answer.problems), dump_json(schema));
}

}  // namespace teamster::agent
