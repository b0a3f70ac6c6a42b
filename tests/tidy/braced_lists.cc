#include "tidy/braced_lists.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace teamster::tidy {
namespace {

struct Attempt {
  std::size_t line = 0;
  bool is_behind_comma = false;  // in the bracket in which it stands
};

struct Bracket {
  char open = '\0';
  bool has_statement = false;  // so its braces are those of a block
  bool has_comma = false;      // so something was made before what comes now
  std::vector<Attempt> attempts;
};

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool begins_statement(std::string_view word) {
  static const std::set<std::string_view> kKeywords{"if",   "else", "for",    "while", "do",
                                                    "case", "try",  "switch", "return"};
  return kKeywords.contains(word);
}

// The word that begins at code[at], or the one character there.
std::string_view token_at(std::string_view code, std::size_t at) {
  const auto rest = code.substr(at);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_word_character);
  return rest.substr(0, std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.begin())));
}

class Walk {
 public:
  std::vector<std::size_t> run(std::string_view code) {
    std::string_view token;
    for (std::size_t at = 0; at < code.size(); at += token.size()) {
      token = token_at(code, at);
      take(token);
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  void take(std::string_view token) {
    Bracket& here = open_.back();
    if (token == "\n") {
      ++line_;
    } else if (token == "TRY") {
      here.attempts.push_back({line_, here.has_comma});
    } else if (token == ",") {
      here.has_comma = true;
    } else if (token == ";" || begins_statement(token)) {
      here.has_statement = true;
    } else if (token == "{" || token == "(" || token == "[") {
      open_.push_back({token[0], false, false, {}});
    } else if ((token == "}" || token == ")" || token == "]") && open_.size() > 1) {
      close();
    }
  }

  // A list has no statement directly in its braces, and a block in which something is tried has one.
  void close() {
    const Bracket closed = std::move(open_.back());
    open_.pop_back();
    const bool is_braces = closed.open == '{';
    if (is_braces && closed.has_statement) return;
    // The first of a list, or what is between parentheses, stands where the bracket stands.
    for (const auto& attempt : closed.attempts)
      if (is_braces && attempt.is_behind_comma) {
        found_.push_back(attempt.line);
      } else {
        open_.back().attempts.push_back({attempt.line, open_.back().has_comma});
      }
  }

  std::vector<Bracket> open_ = std::vector<Bracket>(1);  // the first is the file itself
  std::vector<std::size_t> found_;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<std::size_t> lines_that_try_in_a_list(std::string_view code) { return Walk().run(code); }

}  // namespace teamster::tidy
