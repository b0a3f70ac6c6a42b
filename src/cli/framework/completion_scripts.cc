#include "cli/framework/completion_scripts.h"

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::cli {
namespace {

// In single quotes for a POSIX-like shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// In single quotes for fish, which knows \' inside them.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What one place on the command line offers: the path so far, and the words with their help.
struct Offer {
  std::string word;
  std::string help;
};
struct Place {
  std::string path;
  std::vector<Offer> offers;
};

std::vector<Offer> flag_offers(const Command& command) {
  std::vector<Offer> offers;
  for (const auto& flag : all_flags(command))
    if (!flag.hidden) offers.push_back({"--" + flag.name, flag.help});
  offers.push_back({"--help", "Explain it"});
  return offers;
}

Place top(const Registry& registry) {
  Place place{"", {}};
  for (const auto& word : registry.first_words()) {
    const Command* command = registry.find(word);
    place.offers.push_back(
        {word, command != nullptr ? command->summary : "Verbs: " + join(registry.verbs(word), ", ")});
  }
  place.offers.push_back({"--help", "Explain all commands"});
  place.offers.push_back({"--version", "Print the version"});
  return place;
}

std::vector<Place> places(const Registry& registry) {
  std::vector<Place> places{top(registry)};
  for (const auto& word : registry.first_words()) {
    const auto verbs = registry.verbs(word);
    if (verbs.empty()) continue;
    Place group{word, {}};
    for (const auto& verb : verbs) group.offers.push_back({verb, registry.find(word + " " + verb)->summary});
    group.offers.push_back({"--help", "Explain the verbs"});
    places.push_back(std::move(group));
  }
  for (const auto& command : registry.commands()) {
    Place place{command.path, flag_offers(command)};
    for (const auto& positional : command.positionals)
      for (const auto& choice : positional.choices) place.offers.push_back({choice, positional.help});
    places.push_back(std::move(place));
  }
  return places;
}

// "path word" of every step that makes the path longer, as patterns of a shell's case.
std::vector<std::string> steps(const Registry& registry) {
  std::vector<std::string> steps;
  for (const auto& word : registry.first_words()) {
    steps.push_back(" " + word);
    for (const auto& verb : registry.verbs(word)) steps.push_back(word + " " + verb);
  }
  return steps;
}

std::string words_of(const Place& place) {
  std::vector<std::string> words;
  for (const auto& offer : place.offers) words.push_back(offer.word);
  return join(words, " ");
}

// Case patterns of flags whose values come from a set, and of those that take a file or free text.
template <class Choices, class File, class Free>
std::string value_cases(const Registry& registry, Choices choices, File file, Free free) {
  std::string text;
  for (const auto& command : registry.commands()) {
    for (const auto& flag : all_flags(command)) {
      if (flag.is_switch()) continue;
      const std::string pattern = shell_quoted(command.path + " --" + flag.name);
      const std::string body = !flag.choices.empty()          ? choices(flag)
                               : flag.type == ValueType::file ? file(flag)
                                                              : free(flag);
      text += fmt::format("    {}) {} ;;\n", pattern, body);
    }
  }
  return text;
}

// Finds the command in the words before the cursor; the same lines work in bash and zsh.
std::string find_command_lines(const Registry& registry) {
  std::vector<std::string> patterns;
  for (const auto& step : steps(registry)) patterns.push_back(shell_quoted(step));
  return fmt::format(
      "    case \"$command $word\" in\n      {}) command=\"${{command:+$command }}$word\" ;;\n    esac\n",
      join(patterns, "|"));
}

}  // namespace

std::string bash_completion(const Registry& registry) {
  std::string text =
      "# bash completion of teamster, from `teamster completion bash`.\n"
      "_teamster() {\n"
      "  local command='' word offers='' i\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n" +
      find_command_lines(registry) + "  done\n  case \"$command $previous\" in\n";
  text += value_cases(
      registry,
      [](const Flag& flag) {
        return fmt::format("COMPREPLY=($(compgen -W {} -- \"$current\")); return",
                           shell_quoted(join(flag.choices, " ")));
      },
      [](const Flag&) { return std::string("COMPREPLY=($(compgen -f -- \"$current\")); return"); },
      [](const Flag&) { return std::string("return"); });
  text += "  esac\n  case \"$command\" in\n";
  for (const auto& place : places(registry))
    text += fmt::format("    {}) offers={} ;;\n", shell_quoted(place.path), shell_quoted(words_of(place)));
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$offers\" -- \"$current\"))\n"
         "}\n"
         "complete -F _teamster teamster\n";
}

std::string zsh_completion(const Registry& registry) {
  std::string text =
      "#compdef teamster\n"
      "# zsh completion of teamster, from `teamster completion zsh`.\n"
      "_teamster() {\n"
      "  local command='' word i\n"
      "  local -a offers\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    word=${words[i]}\n" +
      find_command_lines(registry) + "  done\n  case \"$command ${words[CURRENT-1]}\" in\n";
  text += value_cases(
      registry, [](const Flag& flag) { return fmt::format("compadd -- {}; return", join(flag.choices, " ")); },
      [](const Flag&) { return std::string("_files; return"); }, [](const Flag&) { return std::string("return"); });
  text += "  esac\n  case \"$command\" in\n";
  for (const auto& place : places(registry)) {
    text += fmt::format("    {}) offers=(\n", shell_quoted(place.path));
    for (const auto& offer : place.offers)
      text += fmt::format("      {}\n", shell_quoted(offer.word + ":" + offer.help));
    text += "    ) ;;\n";
  }
  return text +
         "  esac\n"
         "  _describe teamster offers\n"
         "}\n"
         "if [ \"${funcstack[1]}\" = _teamster ]; then\n  _teamster \"$@\"\nelse\n  compdef _teamster teamster\nfi\n";
}

std::string fish_completion(const Registry& registry) {
  std::vector<std::string> patterns;
  for (const auto& step : steps(registry)) patterns.push_back(fish_quoted(step));
  std::string text =
      "# fish completion of teamster, from `teamster completion fish`.\n"
      "function __teamster_at --description 'Whether the words before the cursor name this command'\n"
      "  set -l command ''\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$command $word\"\n"
      "      case " +
      join(patterns, " ") +
      "\n"
      "        set command (string trim \"$command $word\")\n"
      "    end\n"
      "  end\n"
      "  test \"$command\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c teamster -f\n";
  const auto condition = [](std::string_view path) { return fish_quoted(fmt::format("__teamster_at \"{}\"", path)); };
  for (const auto& place : places(registry))
    for (const auto& offer : place.offers)
      if (!offer.word.starts_with("--"))
        text += fmt::format("complete -c teamster -n {} -a {} -d {}\n", condition(place.path), offer.word,
                            fish_quoted(offer.help));
  for (const auto& command : registry.commands()) {
    for (const auto& flag : all_flags(command)) {
      if (flag.hidden) continue;
      std::string value;
      if (!flag.choices.empty())
        value = fmt::format(" -x -a {}", fish_quoted(join(flag.choices, " ")));
      else if (!flag.is_switch())
        value = flag.type == ValueType::file ? " -r -F" : " -x";
      text += fmt::format("complete -c teamster -n {} -l {}{} -d {}\n", condition(command.path), flag.name, value,
                          fish_quoted(flag.help));
    }
  }
  return text + "complete -c teamster -l help -d 'Explain it'\n";
}

}  // namespace teamster::cli
