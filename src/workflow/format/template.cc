#include "workflow/format/template.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "yaml/lines.h"

namespace teamster::workflow {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kEscaped = "{{{{";
constexpr std::size_t kPlaceholderMaxBytes = 256;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_character);
}

// ":03" is 3; nothing when it is no such thing.
std::optional<int> width_of(std::string_view format) {
  if (format.size() != 3 || format[0] != ':' || format[1] != '0' || format[2] < '1' || format[2] > '9')
    return std::nullopt;
  return format[2] - '0';
}

// What stands between the braces.
std::optional<Placeholder> placeholder(std::string_view inside) {
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  Placeholder found;
  found.name = inside.substr(0, colon);
  if (!is_name(found.name)) return std::nullopt;
  if (colon == inside.size()) return found;
  const auto width = width_of(inside.substr(colon));
  if (!width) return std::nullopt;
  found.width = *width;
  return found;
}

Place moved(Place place, Place origin) {
  if (place.line == 1) return {origin.line, origin.column + place.column - 1};
  return {origin.line + place.line - 1, place.column};
}

Result<std::string> padded(const Placeholder& placeholder, std::string text) {
  if (placeholder.width == 0) return text;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    return fail(Code::invalid, fmt::format("{{{{{}}}}} is {}, which is no number", placeholder.name, quoted(text, 60)));
  return fmt::format("{:0{}}", number, placeholder.width);
}

Error too_long() {
  return {Code::invalid, fmt::format("the text would have more than {} bytes", limits::kRenderedMaxBytes),
          "Hand over the path of a file instead of its contents"};
}

}  // namespace

Template Template::parse(const std::string& file, std::string_view text, Problems& problems, Place origin) {
  const Lines lines(text);
  Template result;
  std::string before;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = std::min(text.find(kOpen, at), text.size());
    before += text.substr(at, open - at);
    if (open == text.size()) break;
    if (text.substr(open).starts_with(kEscaped)) {
      before += kOpen;
      at = open + kEscaped.size();
      continue;
    }
    // Within reach: an open pair of braces must not make us look through the whole text each time.
    const std::string_view reach = text.substr(open + kOpen.size(), kPlaceholderMaxBytes);
    const std::size_t close = reach.find(kClose);
    auto found = close == reach.npos ? std::nullopt : placeholder(reach.substr(0, close));
    if (!found) {
      const std::string_view shown = reach.substr(0, std::min({close, reach.find('\n'), reach.size()}));
      problems.add(file, moved(lines.place_of_byte(open), origin),
                   fmt::format("{} is no placeholder: write {{{{NAME}}}} without spaces, or {{{{{{{{ for two braces",
                               quoted(fmt::format("{{{{{}", shown), 40)));
      at = open + kOpen.size();
      continue;
    }
    found->place = moved(lines.place_of_byte(open), origin);
    result.placeholders_.push_back(*std::move(found));
    result.texts_.push_back(std::exchange(before, {}));
    at = open + kOpen.size() + close + kClose.size();
  }
  result.texts_.push_back(std::move(before));
  return result;
}

Result<Template> Template::parse(std::string_view text) {
  Problems problems;
  Template result = parse("", text, problems);
  if (problems.empty()) return result;
  const Problem first = problems.sorted().front();
  return fail(Code::invalid, fmt::format("line {}, column {}: {}", first.line, first.column, first.what));
}

Result<std::string> Template::render(const Lookup& lookup) const {
  std::string out;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    out += texts_[i];
    if (i < placeholders_.size()) {
      std::string text = TRY(lookup(placeholders_[i]));
      out += TRY(padded(placeholders_[i], std::move(text)));
    }
    if (out.size() > limits::kRenderedMaxBytes) return fail(too_long());
  }
  return out;
}

Result<std::string> render_prompt(std::string_view text, const std::map<std::string, std::string>& words,
                                  const std::set<std::string>& may_be_empty) {
  const Template parsed = TRY(Template::parse(text));
  return parsed.render([&](const Placeholder& placeholder) -> Result<std::string> {
    const auto word = words.find(placeholder.name);
    const std::string shown = fmt::format("{{{{{}}}}}", placeholder.name);
    if (word == words.end())
      return fail(Code::invalid, fmt::format("{} in line {} has no value", shown, placeholder.place.line),
                  "Declare it under `inputs`");
    if (word->second.empty() && !may_be_empty.contains(placeholder.name))
      return fail(Code::invalid, fmt::format("{} in line {} is empty", shown, placeholder.place.line),
                  "Give its input a `default` if that may be");
    return word->second;
  });
}

Result<std::string> render_text(std::string_view text, const Template::Lookup& lookup) {
  const Template parsed = TRY(Template::parse(text));
  return parsed.render(lookup);
}

std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() || (value.is_structured() && value.empty())) return "";
  const bool is_list_of_texts =
      value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  if (!is_list_of_texts) return value.is_structured() ? dump_json_pretty(value) : dump_json(value);
  std::string text;
  for (const auto& item : value) text += fmt::format("{}- {}", text.empty() ? "" : "\n", item.get<std::string>());
  return text;
}

}  // namespace teamster::workflow
