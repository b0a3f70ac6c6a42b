// Template: a text with placeholders, {{NAME}} in prompts and {{args/spec}} in the short texts of
// workflow.yaml. Strict: what is neither a placeholder nor plain text is a problem, and a
// placeholder that nothing fills is an error that names it. What stands between {{#NAME}} and
// {{/NAME}} is left out when NAME has nothing to say. {{{{ stands for two braces. A value;
// parsing and rendering take linear time, and what is rendered is bounded.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "yaml/problem.h"

namespace teamster::workflow {

struct Placeholder {
  enum class Kind { value, opens, closes };  // the last two: of a part that can be left out

  Kind kind = Kind::value;
  std::string name;  // letters, digits, '_', '-' and '/'
  int width = 0;     // {{number:03}}: a number with zeros before it, this wide; 0: as it is
  Place place;       // of its first brace, from the beginning of the text
};

class Template {
 public:
  // The text of a placeholder. An empty one is as good as any: whoever knows what may be empty
  // returns an error for what may not.
  using Lookup = std::function<Result<std::string>(const Placeholder&)>;
  using Names = std::set<std::string>;

  // Malformed placeholders are added to the problems and left out of the template; their places
  // begin at `origin`.
  static Template parse(const std::string& file, std::string_view text, Problems& problems, Place origin = {});
  // For a text that has been checked; Code::invalid with the place otherwise.
  static Result<Template> parse(std::string_view text);

  const std::vector<Placeholder>& placeholders() const { return placeholders_; }

  // At most limits::kRenderedMaxBytes. Parts of what is in `nothing` are left out, whatever they hold.
  Result<std::string> render(const Lookup& lookup, const Names& nothing = {}) const;

 private:
  std::vector<std::string> texts_;  // before each placeholder, and after the last
  std::vector<Placeholder> placeholders_;
};

// What a prompt is filled with.
struct PromptWords {
  std::map<std::string, std::string> words = {};
  std::set<std::string> nothing = {};  // of them, those that only say that there is nothing
};
// A prompt: each name must be among the words, and be empty only if it may be.
Result<std::string> render_prompt(std::string_view text, const PromptWords& filled,
                                  const std::set<std::string>& may_be_empty = {});
Result<std::string> render_text(std::string_view text, const Template::Lookup& lookup);

// How a value reads in a prompt: texts as they are, a list of texts one to a line after "- ", others
// as JSON. Null, and what has nothing in it, is the empty text.
std::string words_of(const Json& value);

}  // namespace teamster::workflow
