// The first draft of a project's PREAMBLE.md and of its configuration, from what can be seen of the
// project: what it is written in, how it is laid out, how it is built and tested. What cannot be seen
// is left as a sentence that says what to write there. Pure: text from facts.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace teamster::engine {

struct ProjectFacts {
  std::map<std::string, std::size_t> endings;   // "cc" → how many files have it
  std::vector<std::string> directories;         // at the top
  std::map<std::string, std::string> contents;  // of the known files at the top, such as package.json, by name
  std::vector<std::string> skills;              // names of those that are installed
};

// The files at the top of a project that say how it is built; `contents` of those that are there.
const std::vector<std::string>& telling_files();

struct ProjectCommand {
  std::string what;  // "build", "everything: tests"
  std::string command;
};

// The most used first.
std::vector<std::string> languages_of(const ProjectFacts& facts);
std::vector<ProjectCommand> commands_of(const ProjectFacts& facts);
// The one that decides whether the work is good; nullopt: none was found.
std::optional<std::string> test_command_of(const ProjectFacts& facts);

std::string preamble_text(const ProjectFacts& facts);
// .teamster/config.yaml; empty when there is nothing to say.
std::string config_text(const ProjectFacts& facts);

}  // namespace teamster::engine
