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

std::string words_of_entry(const Workflow& workflow, const Entry* entry) {
  std::string words;
  for (const Argument* argument : arguments_of(workflow, entry)) words += " " + shown(*argument);
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

std::string start_text(const Workflow& workflow, const std::string& entry, const Json& arguments) {
  std::vector<std::string> words;
  if (!entry.empty()) words.push_back(entry);
  for (const auto& argument : workflow.args) {
    const auto given = arguments.find(argument.name);
    if (given == arguments.end()) continue;
    const std::string text = given->is_string() ? given->get<std::string>() : dump_json(*given);
    words.push_back(fmt::format("{}={}", argument.name, quoted(text, kWordShownBytes)));
  }
  return words.empty() ? "no arguments" : join(words, " ");
}

}  // namespace teamster::workflow
