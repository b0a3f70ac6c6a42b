// Command: something the program can be asked to do, as a plain declaration. Parsing,
// help, did-you-mean, completion and docs/commands.md come from declarations and from
// nothing else. A value; made once per process by the registry.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace teamster::cli {

class Arguments;
class Context;

// What a value must look like. The parser checks it, so that a command only sees good ones.
enum class ValueType {
  text,         // valid UTF-8
  team,         // a team's name
  new_team,     // the same, of one that is not there yet
  team_or_run,  // a team's or a run's
  member,       // a member's name
  id,           // a whole number from 1
  count,        // a whole number from 0
  duration,     // 500ms, 5s, 2m, 1h, 7d
  json_object,  // {"a":1}
  file,         // a path; any bytes
  // Texts to the parser; completion knows more.
  run,       // a run's name, or a part of it
  workflow,  // a workflow's name, or its directory
  question,  // the id of a question, or a part of it
  gate,      // the same of a gate
};

enum class Required {
  no,
  yes,
  by_operator,  // a member's token implies it
};

struct Flag {
  std::string name;        // without its dashes
  std::string value = {};  // what stands for its value in the help; empty: a switch
  ValueType type = ValueType::text;
  std::string help = {};
  Required required = Required::no;
  bool repeatable = false;
  bool hidden = false;        // works, but is not shown
  std::string fallback = {};  // the value when it is not given
  std::vector<std::string> choices = {};

  bool is_switch() const { return value.empty(); }
};

struct Positional {
  std::string name;  // in capitals, so that it never meets a flag's
  ValueType type = ValueType::text;
  std::string help = {};
  bool required = true;
  bool repeatable = false;  // only the last one
  std::vector<std::string> choices = {};
};

struct Example {
  std::string line;  // for a shell
  std::string does;
};

// How a command uses the hub: decides which of the common flags it has. `of_its_own`: not that of the user's home.
enum class HubUse { none, of_its_own, reads, writes };

struct Command {
  std::string path;  // "doctor", "message send"
  std::string topic;
  std::string summary;      // one line, no full stop
  std::string description;  // sentences
  HubUse hub = HubUse::none;
  std::vector<Positional> positionals = {};
  std::vector<Flag> flags = {};
  // Flags that it does not know, behind its first positional, are words of the last: whoever that names knows them.
  bool passes_flags = false;
  std::vector<Example> examples = {};
  // The exit code, or why it failed.
  std::function<Result<int>(Context&, const Arguments&)> run = {};
};

// --json and --token-file, and --key for commands that write. They may stand before the command, too.
std::vector<Flag> common_flags(HubUse hub);
// The command's own flags, then the common ones.
std::vector<Flag> all_flags(const Command& command);

// Flags that many commands share.
Flag team_flag();
Flag member_flag(std::string help);
// The same where no token implies whom it is about.
Flag named_member_flag(std::string help);
Flag named_members_flag(std::string help);

}  // namespace teamster::cli
