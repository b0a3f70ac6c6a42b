#include "cli/framework/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/limits.h"
#include "base/name.h"
#include "base/run_name.h"
#include "base/team_ref.h"
#include "base/text.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kShownMaxBytes = 80;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<void> check_number(std::string_view text, std::int64_t least) {
  const auto number = whole_number(text);
  if (number && *number >= least) return {};
  return fail(Code::invalid,
              fmt::format("{} is not {}", quoted(text, kShownMaxBytes), least == 1 ? "an id" : "a count"),
              fmt::format("Write a whole number from {}", least));
}

Result<void> check_object(std::string_view text) {
  const Json json = TRY(parse_json(text, {.max_bytes = limits::kMetadataMaxBytes}));
  if (json.is_object()) return {};
  return fail(Code::invalid, "not a JSON object", "Write an object, as in {\"key\":\"value\"}");
}

Result<void> check_choice(std::string_view text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
  const auto meant = closest(text, choices);
  return fail(Code::invalid, fmt::format("{} is not one of {}", quoted(text, kShownMaxBytes), join(choices, ", ")),
              meant ? fmt::format("Did you mean {}?", *meant) : "");
}

Result<void> check_type(ValueType type, std::string_view text) {
  if (type == ValueType::file) return {};
  if (const auto bad = find_invalid_utf8(text))
    return fail(Code::invalid,
                fmt::format("not valid UTF-8 at byte {} (0x{:02x})", *bad, static_cast<unsigned char>(text[*bad])));
  switch (type) {
    case ValueType::team:
      TRY_VOID(TeamRef::parse(text));
      return {};
    case ValueType::new_team:
      TRY_VOID(Name::parse("team", text));
      return {};
    case ValueType::team_or_run:
      if (!RunName::parse(text)) TRY_VOID(TeamRef::parse(text));
      return {};
    case ValueType::member:
      TRY_VOID(Name::parse("member", text));
      return {};
    case ValueType::id:
      return check_number(text, 1);
    case ValueType::count:
      return check_number(text, 0);
    case ValueType::duration:
      TRY_VOID(parse_duration(text));
      return {};
    case ValueType::json_object:
      return check_object(text);
    case ValueType::text:
    case ValueType::file:
    case ValueType::run:
    case ValueType::workflow:
    case ValueType::question:
    case ValueType::gate:
      return {};
  }
  return {};
}

const Flag* find_flag(const std::vector<Flag>& flags, std::string_view name) {
  for (const auto& flag : flags)
    if (flag.name == name) return &flag;
  return nullptr;
}

std::string field_name(std::string_view name) {
  std::string field(name);
  for (char& c : field) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return field;
}

}  // namespace

std::string see_help(std::string_view path) {
  return path.empty() ? "See `teamster --help`" : fmt::format("See `teamster {} --help`", path);
}

class Arguments::Parser {
 public:
  explicit Parser(const Command& command) : command_(command), flags_(all_flags(command)), arguments_(command) {}

  Result<Arguments> parse(std::span<const std::string> words, bool has_token) {
    for (std::size_t at = 0; at < words.size(); ++at) {
      const std::string& word = words[at];
      if (word == "--") {
        if (passes_on()) TRY_VOID(take_positional(word));
        for (const auto& rest : words.subspan(at + 1)) TRY_VOID(take_positional(rest));
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        TRY_VOID(take_positional(word));
      } else {
        TRY_VOID(take_flag(words, at));
      }
    }
    TRY_VOID(check_complete(has_token));
    return std::move(arguments_);
  }

 private:
  tl::unexpected<Error> usage_error(std::string what, std::string_view next = {}) const {
    std::string advice = next.empty() ? see_help(command_.path) : fmt::format("{}. {}", next, see_help(command_.path));
    return fail(Code::invalid, std::move(what), std::move(advice));
  }
  tl::unexpected<Error> bad_value(const std::string& name, const Error& error) const {
    std::string_view next = error.next;
    if (next.ends_with('.')) next.remove_suffix(1);
    return usage_error(fmt::format("{}: {}", name, error.what), next);
  }

  // Whoever the first positional names knows more flags.
  bool passes_on() const { return command_.passes_flags && next_positional_ > 0; }

  bool is_known_flag(std::string_view word) const {
    if (!word.starts_with("--")) return false;
    return find_flag(flags_, word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2)) != nullptr;
  }

  tl::unexpected<Error> unknown_flag(const std::string& word, std::string_view typed) const {
    std::vector<std::string> names;
    for (const auto& flag : flags_)
      if (!flag.hidden) names.push_back("--" + flag.name);
    names.push_back("--help");
    const auto meant = closest(typed, names);
    const std::string_view otherwise = "ut -- before an argument that starts with '-'";
    return usage_error(
        fmt::format("unknown flag {}", quoted(word, kShownMaxBytes)),
        meant ? fmt::format("Did you mean {}? If not, p{}", *meant, otherwise) : fmt::format("P{}", otherwise));
  }

  // words[at] is the flag; a separate value is taken too and `at` moved onto it.
  Result<void> take_flag(std::span<const std::string> words, std::size_t& at) {
    const std::string& word = words[at];
    const std::size_t equals = word.find('=');
    const std::string typed = word.substr(0, equals);
    const Flag* flag = typed.starts_with("--") ? find_flag(flags_, std::string_view(typed).substr(2)) : nullptr;
    if (flag == nullptr && passes_on()) return take_positional(word);
    if (flag == nullptr) return unknown_flag(word, typed);
    auto& values = arguments_.given_[flag->name];
    if (!values.empty() && !flag->repeatable) return usage_error(fmt::format("{} is given twice", typed));
    if (flag->is_switch()) {
      if (equals != word.npos) return usage_error(fmt::format("{} takes no value", typed));
      values.emplace_back();
      return {};
    }
    std::string value;
    if (equals != word.npos) {
      value = word.substr(equals + 1);
    } else if (at + 1 == words.size() || words[at + 1] == "--" || is_known_flag(words[at + 1])) {
      return usage_error(fmt::format("{} needs a value, {}", typed, flag->value));
    } else {
      value = words[++at];
    }
    if (const auto checked = check(flag->type, flag->choices, value); !checked)
      return bad_value(typed, checked.error());
    values.push_back(std::move(value));
    return {};
  }

  Result<void> take_positional(const std::string& word) {
    const auto& declared = command_.positionals;
    if (declared.empty())
      return usage_error(
          fmt::format("`teamster {}` takes no argument, but got {}", command_.path, quoted(word, kShownMaxBytes)));
    if (next_positional_ >= declared.size())
      return usage_error(
          fmt::format("surplus argument {} after {}", quoted(word, kShownMaxBytes), declared.back().name),
          "Quote a text that has spaces");
    const Positional& positional = declared[next_positional_];
    if (const auto checked = check(positional.type, positional.choices, word); !checked)
      return bad_value(positional.name, checked.error());
    arguments_.given_[positional.name].push_back(word);
    if (!positional.repeatable) ++next_positional_;
    return {};
  }

  static Result<void> check(ValueType type, const std::vector<std::string>& choices, std::string_view text) {
    TRY_VOID(check_type(type, text));
    return choices.empty() ? Result<void>() : check_choice(text, choices);
  }

  Result<void> check_complete(bool has_token) const {
    const bool acts_as_member = has_token || arguments_.given_.contains("token-file");
    for (const auto& positional : command_.positionals)
      if (positional.required && !arguments_.given_.contains(positional.name))
        return usage_error(fmt::format("{} is missing", positional.name));
    for (const auto& flag : flags_) {
      const bool required =
          flag.required == Required::yes || (flag.required == Required::by_operator && !acts_as_member);
      if (required && !arguments_.given_.contains(flag.name))
        return usage_error(fmt::format("--{} {} is missing", flag.name, flag.value));
    }
    return {};
  }

  const Command& command_;
  std::vector<Flag> flags_;
  Arguments arguments_;
  std::size_t next_positional_ = 0;
};

Result<Arguments> Arguments::parse(const Command& command, std::span<const std::string> words, bool has_token) {
  return Parser(command).parse(words, has_token);
}

bool Arguments::has(std::string_view name) const { return given_.find(name) != given_.end(); }

std::vector<std::string> Arguments::values(std::string_view name) const {
  if (const auto it = given_.find(name); it != given_.end()) return it->second;
  for (const auto& positional : command_->positionals)
    if (positional.name == name) return {};
  const auto flags = all_flags(*command_);
  const Flag* flag = find_flag(flags, name);
  CHECK(flag != nullptr);
  return flag->fallback.empty() ? std::vector<std::string>() : std::vector{flag->fallback};
}

std::string Arguments::value(std::string_view name) const {
  auto all = values(name);
  return all.empty() ? std::string() : std::move(all.front());
}

std::optional<std::string> Arguments::optional_value(std::string_view name) const {
  auto all = values(name);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::optional<std::int64_t> Arguments::optional_number(std::string_view name) const {
  return values(name).empty() ? std::nullopt : std::optional(number(name));
}

std::optional<Json> Arguments::optional_object(std::string_view name) const {
  const auto text = optional_value(name);
  return text ? std::optional(parse_json(*text).value_or(Json::object())) : std::nullopt;
}

std::int64_t Arguments::number(std::string_view name) const { return whole_number(value(name)).value_or(0); }

std::vector<std::int64_t> Arguments::numbers(std::string_view name) const {
  std::vector<std::int64_t> numbers;
  for (const auto& text : values(name)) numbers.push_back(whole_number(text).value_or(0));
  return numbers;
}

Duration Arguments::duration(std::string_view name) const { return parse_duration(value(name)).value_or(Duration{}); }

Json Arguments::fields(std::initializer_list<std::string_view> names) const {
  Json object = Json::object();
  for (const auto name : names)
    if (!values(name).empty()) object[field_name(name)] = field(name);
  return object;
}

Json Arguments::field(std::string_view name) const {
  ValueType type = ValueType::text;
  bool repeatable = false;
  bool is_switch = false;
  for (const auto& positional : command_->positionals)
    if (positional.name == name) type = positional.type, repeatable = positional.repeatable;
  const auto flags = all_flags(*command_);
  if (const Flag* flag = find_flag(flags, name))
    type = flag->type, repeatable = flag->repeatable, is_switch = flag->is_switch();
  if (is_switch) return true;
  const auto typed = [&](const std::string& text) -> Json {
    if (type == ValueType::id || type == ValueType::count) return whole_number(text).value_or(0);
    if (type == ValueType::duration) return to_ms(parse_duration(text).value_or(Duration{}));
    if (type == ValueType::json_object) return parse_json(text).value_or(Json::object());
    return text;
  };
  if (!repeatable) return typed(value(name));
  Json list = Json::array();
  for (const auto& text : values(name)) list.push_back(typed(text));
  return list;
}

std::vector<std::string> Arguments::words_without(std::string_view flag) const {
  std::vector<std::string> words;
  for (const auto& declared : all_flags(*command_)) {
    if (declared.name == flag || !has(declared.name)) continue;
    if (declared.is_switch()) {
      words.push_back("--" + declared.name);
      continue;
    }
    for (const auto& each : values(declared.name)) words.push_back("--" + declared.name + "=" + each);
  }
  if (!command_->passes_flags) words.emplace_back("--");
  for (const auto& positional : command_->positionals)
    for (const auto& each : values(positional.name)) words.push_back(each);
  return words;
}

}  // namespace teamster::cli
