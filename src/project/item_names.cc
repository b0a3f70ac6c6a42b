#include "project/item_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "project/expression.h"

namespace teamster::engine {
namespace {

constexpr std::string_view kEnDash = "\u2013";
constexpr std::string_view kExtension = ".md";

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Runs of letters, digits and the marks of paths, without the full stop of a sentence.
std::vector<std::string> words_in(std::string_view given) {
  std::string text(given);
  for (auto at = text.find(kEnDash); at != text.npos; at = text.find(kEnDash)) text.replace(at, kEnDash.size(), "-");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    std::string word = text.substr(at, end - at);
    while (word.ends_with('.')) word.pop_back();
    if (!word.empty()) words.push_back(std::move(word));
    at = end + 1;
  }
  return words;
}

}  // namespace

Result<ItemNames> ItemNames::read(const Project& project, const workflow::Workflow& workflow) {
  if (!workflow.series)
    return fail(Code::invalid, fmt::format("the workflow {} has no series of items", workflow.name),
                "Say in its `series` which files are its items");
  ItemNames names;
  names.series_ = *workflow.series;
  for (const auto& argument : workflow.args)
    if (argument.name == workflow.series->argument) names.argument_pattern_ = argument.pattern;
  for (const auto& path : TRY(matching_files(project, workflow.series->items))) {
    const auto argument = TRY(first_group(workflow.series->pattern, path));
    if (!argument) continue;
    const auto [entry, is_new] = names.paths_.emplace(*argument, path);
    if (!is_new)
      return fail(Code::invalid,
                  fmt::format("{} and {} are both {} {}", entry->second, path, workflow.series->argument, *argument),
                  "Give one of them another number");
  }
  return names;
}

// Where an argument can be any word, only those that there are count: the rest is prose.
Result<bool> ItemNames::is_argument(std::string_view word) const {
  if (argument_pattern_.empty()) return paths_.contains(std::string(word));
  return matches_whole(argument_pattern_, word);
}

std::vector<std::string> ItemNames::range(const std::string& first, const std::string& last) const {
  std::vector<std::string> names{first};
  for (const auto& [argument, path] : paths_)
    if (argument > first && argument < last) names.push_back(argument);
  if (last != first) names.push_back(last);
  return names;
}

Result<std::vector<std::string>> ItemNames::named_by(const std::string& word) const {
  using Names = std::vector<std::string>;
  if (TRY(is_argument(word))) return Names{word};
  const std::size_t dash = word.rfind('-');
  const std::string before = word.substr(0, std::min(dash, word.size()));
  const std::string after = dash == word.npos ? "" : word.substr(dash + 1);
  const bool ends_in_argument = TRY(is_argument(after));
  if (ends_in_argument && TRY(is_argument(before))) return range(before, after);
  const std::string directory = series_.items.substr(0, series_.items.rfind('/') + 1);
  for (const auto& path : {word, directory + word, directory + word + std::string(kExtension)}) {
    if (!TRY(matches_whole(series_.pattern, path))) continue;
    const auto group = TRY(first_group(series_.pattern, path));
    if (group && TRY(is_argument(*group))) return Names{*group};
  }
  if (ends_in_argument && std::all_of(before.begin(), before.end(), is_letter)) return Names{after};
  return Names();
}

Result<std::vector<std::string>> ItemNames::named_in(std::string_view text) const {
  std::vector<std::string> named;
  for (const auto& word : words_in(text)) {
    for (const auto& argument : TRY(named_by(word)))
      if (std::find(named.begin(), named.end(), argument) == named.end()) named.push_back(argument);
  }
  return named;
}

}  // namespace teamster::engine
