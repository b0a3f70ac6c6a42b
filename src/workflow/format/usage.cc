#include "workflow/format/usage.h"

#include <cctype>

#include "base/text.h"

namespace teamster::workflow {
namespace {

std::string shown(const Argument& argument) {
  std::string word = join(argument.choices, "|");
  if (word.empty())
    for (const char c : argument.name) word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return argument.fallback ? "[" + word + "]" : word;
}

}  // namespace

std::string usage_line(const Workflow& workflow) {
  std::string line = "teamster run " + workflow.name;
  for (const auto& argument : workflow.args) line += " " + shown(argument);
  return line;
}

}  // namespace teamster::workflow
