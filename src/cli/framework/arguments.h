// Arguments: what a person typed after a command, checked against its declaration. A
// command that runs has every required argument and only well-formed values, so reading
// them cannot fail; asking for one that was not declared is a bug. Borrows the command.
//
// Grammar: `--flag value` and `--flag=value`; flags stand anywhere; `--` ends them; a lone
// `-` is a positional (standard input). A flag does not take a known flag for its value:
// `--flag=--value` does. Where the command passes flags on, unknown ones and `--` are words of the last positional.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/framework/command.h"

namespace teamster::cli {

class Arguments {
 public:
  // `words` without the command's own. `has_token`: the environment names a member's token.
  static Result<Arguments> parse(const Command& command, std::span<const std::string> words, bool has_token);

  // Given by the user; a default does not count.
  bool has(std::string_view name) const;
  // Given or default; empty when neither.
  std::string value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
  // nullopt where neither was given nor is a default.
  std::optional<std::string> optional_value(std::string_view name) const;
  std::optional<std::int64_t> optional_number(std::string_view name) const;
  // Of an argument that is a JSON object.
  std::optional<Json> optional_object(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  std::vector<std::int64_t> numbers(std::string_view name) const;
  Duration duration(std::string_view name) const;

  // The named arguments that have a value, as fields of the same names in lower case with '_',
  // typed as declared.
  Json fields(std::initializer_list<std::string_view> names) const;

  // The same as words again, without one flag: to start this command in another process.
  std::vector<std::string> words_without(std::string_view flag) const;

  const Command& command() const { return *command_; }

 private:
  class Parser;
  explicit Arguments(const Command& command) : command_(&command) {}
  Json field(std::string_view name) const;

  const Command* command_;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

// What a usage error says at its end.
std::string see_help(std::string_view path);

}  // namespace teamster::cli
