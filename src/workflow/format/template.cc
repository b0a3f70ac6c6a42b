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
  Placeholder found;
  if (inside.starts_with('#')) found.kind = Placeholder::Kind::opens;
  if (inside.starts_with('/')) found.kind = Placeholder::Kind::closes;
  if (found.kind != Placeholder::Kind::value) {
    found.name = inside.substr(1);
    return is_name(found.name) ? std::optional(found) : std::nullopt;
  }
  const std::size_t colon = std::min(inside.find(':'), inside.size());
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

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == text.npos; }

// The line that a mark of a part has for itself, as [begin, end) with its end of line; nothing when it shares it.
std::optional<std::pair<std::size_t, std::size_t>> own_line(std::string_view text, std::size_t open,
                                                            std::size_t behind) {
  const std::size_t newline = open == 0 ? text.npos : text.rfind('\n', open - 1);
  const std::size_t begin = newline == text.npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', behind), text.size());
  if (!is_blank(text.substr(begin, open - begin)) || !is_blank(text.substr(behind, end - behind))) return std::nullopt;
  return std::pair(begin, std::min(end + 1, text.size()));
}

// Parts are closed in the order in which they were opened, from the inside.
void check_parts(const std::string& file, const std::vector<Placeholder>& placeholders, Problems& problems) {
  std::vector<const Placeholder*> open;
  for (const auto& each : placeholders) {
    if (each.kind == Placeholder::Kind::opens) open.push_back(&each);
    if (each.kind != Placeholder::Kind::closes) continue;
    if (!open.empty() && open.back()->name == each.name) {
      open.pop_back();
      continue;
    }
    problems.add(file, each.place,
                 fmt::format("{{{{/{0}}}}} closes nothing: before it {1}", each.name,
                             open.empty() ? fmt::format("write {{{{#{}}}}}", each.name)
                                          : fmt::format("{{{{/{}}}}} is due", open.back()->name)));
    return;
  }
  for (const auto* each : open)
    problems.add(file, each->place,
                 fmt::format("{{{{#{0}}}}} is never closed: write {{{{/{0}}}}} behind it", each->name));
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
    at = open + kOpen.size() + close + kClose.size();
    if (found->kind != Placeholder::Kind::value) {
      if (const auto line = own_line(text, open, at)) {
        before.resize(before.size() - (open - line->first));
        at = line->second;
      }
    }
    result.placeholders_.push_back(*std::move(found));
    result.texts_.push_back(std::exchange(before, {}));
  }
  result.texts_.push_back(std::move(before));
  check_parts(file, result.placeholders_, problems);
  return result;
}

Result<Template> Template::parse(std::string_view text) {
  Problems problems;
  Template result = parse("", text, problems);
  if (problems.empty()) return result;
  const Problem first = problems.sorted().front();
  return fail(Code::invalid, fmt::format("line {}, column {}: {}", first.line, first.column, first.what));
}

Result<std::string> Template::render(const Lookup& lookup, const Names& nothing) const {
  std::string out;
  int left_out = 0;  // how many of the parts that are open here
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (left_out == 0) out += texts_[i];
    if (i == placeholders_.size()) break;
    const Placeholder& each = placeholders_[i];
    if (each.kind == Placeholder::Kind::opens) left_out += nothing.contains(each.name) ? 1 : 0;
    if (each.kind == Placeholder::Kind::closes) left_out -= nothing.contains(each.name) ? 1 : 0;
    if (each.kind == Placeholder::Kind::value && left_out == 0) {
      std::string text = TRY(lookup(each));
      out += TRY(padded(each, std::move(text)));
    }
    if (out.size() > limits::kRenderedMaxBytes) return fail(too_long());
  }
  return out;
}

Result<std::string> render_prompt(std::string_view text, const PromptWords& filled,
                                  const std::set<std::string>& may_be_empty) {
  const Template parsed = TRY(Template::parse(text));
  const auto lookup = [&](const Placeholder& placeholder) -> Result<std::string> {
    const auto word = filled.words.find(placeholder.name);
    const std::string shown = fmt::format("{{{{{}}}}}", placeholder.name);
    if (word == filled.words.end())
      return fail(Code::invalid, fmt::format("{} in line {} has no value", shown, placeholder.place.line),
                  "Declare it under `inputs`");
    if (word->second.empty() && !may_be_empty.contains(placeholder.name))
      return fail(Code::invalid, fmt::format("{} in line {} is empty", shown, placeholder.place.line),
                  "Give its input a `default` if that may be");
    return word->second;
  };
  return parsed.render(lookup, filled.nothing);
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
