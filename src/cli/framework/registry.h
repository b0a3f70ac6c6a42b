// Registry: all commands of the program, in the order in which help shows them. Help,
// suggestions, completion and the reference come from it. Immutable once made.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/framework/command.h"

namespace teamster::cli {

// What the words of a command line ask for, before their flags are looked at.
struct Selection {
  const Command* command = nullptr;  // null: only a group, or nothing, was named
  std::string path;                  // as far as it goes: "", "team", "team create"
  std::vector<std::string> rest;     // all other words, in order
};

class Registry {
 public:
  // `internal` ones can be run, but are not shown: the program calls them itself.
  explicit Registry(std::vector<Command> commands, std::vector<Command> internal = {})
      : commands_(std::move(commands)), internal_(std::move(internal)) {}

  std::span<const Command> commands() const { return commands_; }
  const Command* find(std::string_view path) const;
  // First words: "team", "doctor".
  std::vector<std::string> first_words() const;
  // Second words after a first one; empty for a command of one word.
  std::vector<std::string> verbs(std::string_view first_word) const;
  // In order of first appearance.
  std::vector<std::string> topics() const;

  // Finds the command in the words. Common flags may stand before and between its words.
  Result<Selection> select(std::span<const std::string> words) const;

 private:
  Result<std::string> extended(const std::string& path, const std::string& word) const;

  std::vector<Command> commands_;
  std::vector<Command> internal_;
};

Registry all_commands();

}  // namespace teamster::cli
