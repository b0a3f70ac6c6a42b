#include "cli/framework/completion.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::cli {
namespace {

// bash breaks words at =.
std::vector<std::string> with_joined_values(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] != "=" || joined.empty() || !joined.back().starts_with("--")) {
      joined.push_back(words[at]);
      continue;
    }
    joined.back() += "=";
    if (at + 1 < words.size()) joined.back() += words[++at];
  }
  return joined;
}

const Flag* flag_named(const std::vector<Flag>& flags, std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// Where the words of a command stop: in the value of a flag, or at a positional.
struct Spot {
  const Flag* flag = nullptr;  // whose value comes next
  std::size_t positional = 0;  // how many were given
  std::string team;            // as far as it is named
};

Spot spot_after(const std::vector<Flag>& flags, const std::vector<std::string>& words) {
  Spot spot;
  bool are_flags_over = false;
  for (const auto& word : words) {
    if (spot.flag != nullptr) {
      if (spot.flag->type == ValueType::team) spot.team = word;
      spot.flag = nullptr;
    } else if (word == "--" && !are_flags_over) {
      are_flags_over = true;
    } else if (are_flags_over || !word.starts_with("--")) {
      ++spot.positional;
    } else {
      const std::size_t equals = std::min(word.find('='), word.size());
      const Flag* flag = flag_named(flags, std::string_view(word).substr(2, equals - 2));
      if (flag == nullptr || flag->is_switch()) continue;
      if (equals == word.size())
        spot.flag = flag;
      else if (flag->type == ValueType::team)
        spot.team = word.substr(equals + 1);
    }
  }
  return spot;
}

std::vector<Offer> from_choices(const std::vector<std::string>& choices) {
  std::vector<Offer> offers;
  for (const auto& choice : choices) offers.push_back({choice});
  return offers;
}

template <class Declared>
Completion values_of(const Declared& declared, const std::string& team, const KnownNames& names) {
  if (declared.type == ValueType::file) return {{}, true};
  return {declared.choices.empty() ? names(declared.type, team) : from_choices(declared.choices)};
}

std::vector<Offer> flags_of(const std::vector<Flag>& flags) {
  std::vector<Offer> offers;
  for (const auto& flag : flags)
    if (!flag.hidden) offers.push_back({"--" + flag.name, flag.help});
  offers.push_back({"--help", "Explain it"});
  return offers;
}

std::vector<Offer> next_words(const Registry& registry, const std::string& path) {
  std::vector<Offer> offers;
  if (!path.empty()) {
    for (const auto& verb : registry.verbs(path))
      offers.push_back({verb, registry.find(fmt::format("{} {}", path, verb))->summary});
    offers.push_back({"--help", "Explain them"});
    return offers;
  }
  for (const auto& word : registry.first_words()) {
    const Command* command = registry.find(word);
    offers.push_back({word, command != nullptr ? command->summary : "Verbs: " + join(registry.verbs(word), ", ")});
  }
  offers.push_back({"--help", "Explain all commands"});
  offers.push_back({"--version", "Print the version"});
  return offers;
}

Completion in_command(const Command& command, const std::vector<std::string>& rest, const std::string& typed,
                      const KnownNames& names) {
  const auto flags = all_flags(command);
  const Spot spot = spot_after(flags, rest);
  if (spot.flag != nullptr) return values_of(*spot.flag, spot.team, names);
  if (typed.starts_with("--") && typed.find('=') != std::string::npos) {
    const std::size_t equals = typed.find('=');
    const Flag* flag = flag_named(flags, std::string_view(typed).substr(2, equals - 2));
    if (flag == nullptr || flag->is_switch()) return {};
    Completion values = values_of(*flag, spot.team, names);
    for (auto& offer : values.offers) offer.word = typed.substr(0, equals + 1) + offer.word;
    return values;
  }
  if (typed.starts_with("-")) return {flags_of(flags)};
  const auto& positionals = command.positionals;
  const bool repeats = !positionals.empty() && positionals.back().repeatable;
  if (spot.positional >= positionals.size() && !repeats) return {flags_of(flags)};
  const Positional& positional = positionals[std::min(spot.positional, positionals.size() - 1)];
  // One of one's own is named by its directory.
  if (positional.type == ValueType::workflow && typed.find_first_of("/.") != std::string::npos) return {{}, true};
  return values_of(positional, spot.team, names);
}

}  // namespace

Completion complete_words(const Registry& registry, std::vector<std::string> words, const KnownNames& names) {
  words = with_joined_values(words);
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  const auto selection = registry.select(words);
  if (!selection) return {};
  Completion completion = selection->command == nullptr
                              ? Completion{next_words(registry, selection->path)}
                              : in_command(*selection->command, selection->rest, typed, names);
  std::erase_if(completion.offers, [&](const Offer& offer) { return !offer.word.starts_with(typed); });
  return completion;
}

}  // namespace teamster::cli
