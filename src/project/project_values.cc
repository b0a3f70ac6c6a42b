#include "project/project_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "project/expression.h"
#include "project/markdown.h"
#include "workflow/format/entry.h"
#include "workflow/format/usage.h"

namespace teamster::engine {
namespace {

using workflow::Argument;
using workflow::Value;

constexpr std::size_t kQuotedWordMaxBytes = 80;

// Who calls, and how it is done.
struct Calling {
  const workflow::Workflow& workflow;
  const workflow::Entry* entry = nullptr;
};

tl::unexpected<Error> misuse(const Calling& calling, std::string what) {
  return fail(Code::invalid, std::move(what), "Usage: " + workflow::usage_line(calling.workflow, calling.entry));
}

// Each with what it is for, since who is here does not know which to take.
std::string entries_text(const workflow::Workflow& workflow) {
  std::string text;
  for (const auto& entry : workflow.entries)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", entry.name,
                        entry.about.empty() ? "" : fmt::format(" ({})", entry.about));
  return text;
}

Result<const workflow::Entry*> entry_named(const workflow::Workflow& workflow, std::span<const std::string> words) {
  if (workflow.entries.empty()) return nullptr;
  const std::string usage = "Usage: " + workflow::usage_line(workflow);
  if (words.empty())
    return fail(Code::invalid, fmt::format("{} needs to know for what: {}", workflow.name, entries_text(workflow)),
                usage);
  if (const auto* entry = workflow::find_entry(workflow, words.front())) return entry;
  const auto meant = closest(words.front(), workflow::entry_names(workflow));
  return fail(Code::invalid,
              fmt::format("{} is no entry of {}, {}", quoted(words.front(), kQuotedWordMaxBytes), workflow.name,
                          meant ? fmt::format("did you mean {}?", *meant) : "there are " + entries_text(workflow)),
              usage);
}

std::string explained(const Argument& argument) {
  return argument.about.empty() ? argument.name : fmt::format("{} ({})", argument.name, argument.about);
}

Result<void> check_argument(const Calling& calling, const Argument& argument, const std::string& word) {
  if (find_invalid_utf8(word)) return misuse(calling, fmt::format("{} is not UTF-8 text", argument.name));
  if (!argument.choices.empty() &&
      std::find(argument.choices.begin(), argument.choices.end(), word) == argument.choices.end()) {
    const auto meant = closest(word, argument.choices);
    return misuse(
        calling, fmt::format("{} cannot be {}, {}", argument.name, quoted(word, kQuotedWordMaxBytes),
                             meant ? fmt::format("did you mean {}?", *meant) : "only " + join(argument.choices, ", ")));
  }
  if (!TRY(matches_whole(argument.pattern, word)))
    return misuse(calling, fmt::format("{} cannot be {}, it has the form {}", explained(argument),
                                       quoted(word, kQuotedWordMaxBytes), argument.pattern));
  return {};
}

// Those that the entry does not take are unknown to it.
Result<void> take_flags(const Calling& calling, const TypedFlags& typed, Given& given) {
  const auto taken = workflow::flags_of(calling.workflow, calling.entry);
  for (const auto& flag : calling.workflow.flags) {
    if (flag.is_switch()) given.flags[flag.name()] = false;
    if (flag.value.fallback) given.flags[flag.name()] = *flag.value.fallback;
  }
  std::vector<std::string> known;
  for (const auto* flag : taken) known.push_back("--" + flag->name());
  for (const auto& [name, text] : typed) {
    const auto found =
        std::find_if(taken.begin(), taken.end(), [&name = name](const auto* each) { return each->name() == name; });
    if (found == taken.end()) {
      const auto meant = closest("--" + name, known);
      return misuse(calling, fmt::format("--{} is no flag of {}{}{}{}", name, calling.workflow.name,
                                         calling.entry == nullptr ? "" : " " + calling.entry->name,
                                         meant ? ", did you mean " + *meant : "", meant ? "?" : ""));
    }
    workflow::Argument value = (*found)->value;
    value.name = "--" + name;
    if (!(*found)->is_switch()) TRY_VOID(check_argument(calling, value, text));
    given.flags[name] = (*found)->is_switch() ? Json(true) : Json(text);
  }
  return {};
}

// Lists one to a line, as in prompts.
std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) return dump_json(value);
  std::string lines;
  for (const auto& entry : value) lines += (lines.empty() ? "- " : "\n- ") + entry.get<std::string>();
  return lines;
}

// Looks up one value. nullopt: there is nothing.
class Finder {
 public:
  Finder(const Project& project, const SourceLookup& sources, const Surroundings& surroundings)
      : project_(project), sources_(sources), surroundings_(surroundings) {}

  Result<std::optional<Json>> find(const Value& value) const {
    switch (value.kind) {
      case Value::Kind::file:
        return find_file(value);
      case Value::Kind::files:
        return std::optional(Json(TRY(files_of(value))));
      case Value::Kind::match:
        return as_json(TRY(first_group(value.pattern, TRY(render_short_text(value.of, sources_)))));
      case Value::Kind::line:
        return find_line(value);
      case Value::Kind::text:
        return as_json(TRY(read_text(project_, TRY(render_short_text(value.of, sources_)))));
      case Value::Kind::env:
        return find_variable(value.of);
      case Value::Kind::sections:
        return find_sections(value);
      case Value::Kind::config:
        break;
    }
    return as_json(surroundings_.settings(value.of));
  }

 private:
  static std::optional<Json> as_json(std::optional<std::string> text) {
    return text ? std::optional<Json>(*std::move(text)) : std::nullopt;
  }

  // One that is empty says nothing.
  Result<std::optional<Json>> find_variable(const std::string& name) const {
    const auto text = surroundings_.variable(name.c_str());
    if (!text || text->empty()) return std::optional<Json>();
    if (find_invalid_utf8(*text)) return fail(Code::invalid, fmt::format("the variable {} is not UTF-8 text", name));
    return std::optional<Json>(*text);
  }

  Result<std::vector<std::string>> files_of(const Value& value) const {
    return matching_files(project_, TRY(render_short_text(value.pattern, sources_)));
  }

  Result<std::optional<Json>> find_file(const Value& value) const {
    const auto files = TRY(files_of(value));
    if (files.empty()) return std::optional<Json>();
    if (files.size() == 1) return std::optional<Json>(files.front());
    return fail(Code::invalid,
                fmt::format("there are {} files where one belongs: {} and {}", files.size(), files[0], files[1]),
                "Rename or remove all but one");
  }

  Result<std::optional<Json>> find_sections(const Value& value) const {
    const std::string path = TRY(render_short_text(value.of, sources_));
    const auto text = TRY(read_text(project_, path));
    if (!text) return std::optional<Json>();
    const auto lines = std::count(text->begin(), text->end(), '\n');
    if (lines > static_cast<std::ptrdiff_t>(limits::kInsightsMaxLines))
      return fail(Code::invalid,
                  fmt::format("{} has {} lines, the limit is {}", path, lines, limits::kInsightsMaxLines),
                  "Move what is seldom needed into files of its own, and name them there");
    Json sections = Json::object();
    for (auto& [heading, entries] : entries_by_heading(*text)) sections[heading] = std::move(entries);
    return std::optional<Json>(std::move(sections));
  }

  Result<std::optional<Json>> find_line(const Value& value) const {
    const auto text = TRY(read_text(project_, TRY(render_short_text(value.of, sources_))));
    if (!text) return std::optional<Json>();
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      std::string_view line = std::string_view(*text).substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (auto group = TRY(first_group(value.pattern, line))) return std::optional<Json>(*std::move(group));
      at = end + 1;
    }
    return std::optional<Json>();
  }

  const Project& project_;
  const SourceLookup& sources_;
  const Surroundings& surroundings_;
};

tl::unexpected<Error> missing(const Value& value, const SourceLookup& sources) {
  const auto words = render_short_text(value.otherwise, sources);
  if (words && !words->empty()) return fail(Code::not_found, *words);
  const auto of = render_short_text(value.pattern.empty() ? value.of : value.pattern, sources);
  return fail(Code::not_found, fmt::format("the value {} of the workflow is not there: nothing fits {}", value.name,
                                           quoted(of.value_or(value.of), kQuotedWordMaxBytes)));
}

}  // namespace

Result<Given> resolve_words(const workflow::Workflow& workflow, std::span<const std::string> words,
                            const TypedFlags& flags) {
  const workflow::Entry* entry = TRY(entry_named(workflow, words));
  const Calling calling{workflow, entry};
  Given given;
  if (calling.entry != nullptr) {
    given.entry = calling.entry->name;
    words = words.subspan(1);
  }
  TRY_VOID(take_flags(calling, flags, given));
  for (const auto& argument : workflow.args)
    if (argument.fallback) given.arguments[argument.name] = *argument.fallback;
  const auto taken = workflow::arguments_of(workflow, calling.entry);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (i < words.size()) {
      TRY_VOID(check_argument(calling, *taken[i], words[i]));
      given.arguments[taken[i]->name] = words[i];
    } else if (!taken[i]->fallback) {
      return misuse(calling, fmt::format("{} is missing", explained(*taken[i])));
    }
  }
  if (words.size() > taken.size())
    return misuse(calling,
                  fmt::format("{} is one word too many for {}{}", quoted(words[taken.size()], kQuotedWordMaxBytes),
                              workflow.name, given.entry.empty() ? "" : " " + given.entry));
  return given;
}

Result<Values> resolve_values(const Project& project, const workflow::Workflow& workflow, const Given& given,
                              const Surroundings& surroundings) {
  Values resolved;
  for (const auto& value : workflow.values) {
    const SourceLookup sources = sources_of(given, resolved);
    auto found = Finder(project, sources, surroundings).find(value);
    if (!found) return fail(found.error().within(fmt::format("the value {}", value.name)));
    if (!*found && value.fallback) *found = Json(*value.fallback);
    if (!*found) return missing(value, sources);
    resolved[value.name] = **std::move(found);
  }
  return resolved;
}

SourceLookup sources_of(Given given, Values values) {
  return [given = std::move(given), values = std::move(values)](std::string_view source) {
    const std::size_t slash = std::min(source.find('/'), source.size());
    const std::string name(source.substr(std::min(slash + 1, source.size())));
    std::optional<std::string> words;
    if (source.substr(0, slash) == "args") {
      if (const auto found = given.arguments.find(name); found != given.arguments.end()) words = found->second;
    } else if (source.substr(0, slash) == "values") {
      if (const auto found = values.find(name); found != values.end()) words = words_of(found->second);
    } else if (source.substr(0, slash) == "flags") {
      // What may be given and was not is nothing.
      const auto found = given.flags.find(name);
      words = found == given.flags.end()  ? ""
              : found->second.is_string() ? found->second.get<std::string>()
                                          : dump_json(found->second);
    } else if (source == "run/entry" && !given.entry.empty()) {
      words = given.entry;
    }
    return words;
  };
}

}  // namespace teamster::engine
