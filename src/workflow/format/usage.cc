#include "workflow/format/usage.h"

#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/entry.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kWordShownBytes = 80;

std::string shown(const Argument& argument) {
  std::string word = join(argument.choices, "|");
  if (word.empty())
    for (const char c : argument.name) word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return argument.fallback ? "[" + word + "]" : word;
}

std::string text_of_word(const Json& value) { return value.is_string() ? value.get<std::string>() : dump_json(value); }

std::string words_of_entry(const Workflow& workflow, const Entry* entry) {
  std::string words;
  for (const Argument* argument : arguments_of(workflow, entry)) words += " " + shown(*argument);
  for (const Flag* flag : flags_of(workflow, entry)) {
    const std::string value = flag->value.choices.empty() ? flag->shown : join(flag->value.choices, "|");
    words += fmt::format(" [--{}{}{}]", flag->name(), value.empty() ? "" : " ", value);
  }
  return words;
}

}  // namespace

std::string usage_line(const Workflow& workflow) {
  if (workflow.entries.empty()) return usage_line(workflow, nullptr);
  const std::string words = words_of_entry(workflow, &workflow.entries.front());
  bool are_alike = true;
  for (const auto& entry : workflow.entries) are_alike = are_alike && words_of_entry(workflow, &entry) == words;
  return fmt::format("teamster run {} {}{}", workflow.name, join(entry_names(workflow), "|"), are_alike ? words : " …");
}

std::string usage_line(const Workflow& workflow, const Entry* entry) {
  return fmt::format("teamster run {}{}{}", workflow.name, entry == nullptr ? "" : " " + entry->name,
                     words_of_entry(workflow, entry));
}

const std::vector<std::string>& taken_flags() {
  static const std::vector<std::string> kNames = {
      "all",    "as",         "auth",   "auth-file", "budget",  "chat", "delete-spec", "detach",       "driver",
      "fault",  "from-state", "help",   "init",      "json",    "keep", "keep-spec",   "key",          "no-wait",
      "people", "project",    "record", "script",    "scripts", "seed", "set",         "stakeholders", "token-file"};
  return kNames;
}

std::string start_text(const Workflow& workflow, const NamedWords& words) {
  std::vector<std::string> texts;
  if (!words.entry.empty()) texts.push_back(words.entry);
  for (const auto& argument : workflow.args)
    if (const auto given = words.arguments.find(argument.name); given != words.arguments.end())
      texts.push_back(fmt::format("{}={}", argument.name, quoted(text_of_word(*given), kWordShownBytes)));
  for (const auto& flag : workflow.flags) {
    const auto given = words.flags.find(flag.name());
    if (given == words.flags.end() || *given == false) continue;
    texts.push_back(flag.is_switch()
                        ? "--" + flag.name()
                        : fmt::format("--{}={}", flag.name(), quoted(text_of_word(*given), kWordShownBytes)));
  }
  return texts.empty() ? "no arguments" : join(texts, " ");
}

}  // namespace teamster::workflow
