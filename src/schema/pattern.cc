#include "schema/pattern.h"

#include <regex>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::schema {

struct Pattern::Compiled {
  std::string expression;
  std::regex regex;
};

Result<Pattern> Pattern::compile(const std::string& expression) {
  if (expression.size() > limits::kSchemaPatternMaxBytes)
    return fail(Code::invalid, fmt::format("the regular expression has {} bytes, the limit is {}", expression.size(),
                                           limits::kSchemaPatternMaxBytes));
  try {
    // __polynomial is libstdc++'s name for matching breadth first. Its default backtracks, which
    // takes exponential time for some expressions and a stack frame for each byte for most.
    const auto flags = std::regex::ECMAScript | std::regex_constants::__polynomial;
    return Pattern(std::make_shared<const Compiled>(Compiled{expression, std::regex(expression, flags)}));
  } catch (const std::regex_error&) {
    return fail(Code::invalid, fmt::format("{} is not a regular expression that can be used", quoted(expression, 100)),
                "Use ECMAScript syntax without back-references");
  }
}

bool Pattern::matches(std::string_view text) const {
  if (text.size() > limits::kSchemaPatternTextMaxBytes) return false;
  try {
    return std::regex_search(text.begin(), text.end(), compiled_->regex);
  } catch (const std::regex_error&) {
    return false;  // out of its own bounds
  }
}

const std::string& Pattern::expression() const { return compiled_->expression; }

}  // namespace teamster::schema
