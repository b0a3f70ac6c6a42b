// JSON looked into where it stands, without a tree being made of it: for who reads a million texts
// and wants little of each. JsonView is one value, JsonCursor walks through a text from its
// beginning to its end. Only for texts that this program wrote: they never read past the end,
// but what is not JSON shows as absent, or not at all. The text belongs to somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace teamster {

// Whether it is this word. Of a literal, so that the compiler knows how many bytes there are to compare.
template <std::size_t N>
bool is_word(std::string_view text, const char (&word)[N]) {
  return text.size() == N - 1 && std::memcmp(text.data(), word, N - 1) == 0;
}

class JsonView {
 public:
  JsonView() = default;  // of nothing
  explicit JsonView(std::string_view text) : text_(text) {}

  // Empty when there is nothing.
  std::string_view text() const { return text_; }

  bool is_null() const { return text_.empty() || is_word(text_, "null"); }
  bool is_true() const { return is_word(text_, "true"); }
  bool is_object() const { return text_.starts_with('{'); }
  bool is_text() const { return text_.starts_with('"'); }
  bool is_list() const { return text_.starts_with('['); }
  std::optional<std::string> string() const;
  // Of a string, what is between the quotes as it is written there; of anything else nothing.
  std::string_view inside() const {
    return text_.size() < 2 || !is_text() ? std::string_view() : text_.substr(1, text_.size() - 2);
  }
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  // Of an object; of nothing when it has no such field.
  JsonView field(std::string_view name) const;

 private:
  std::string_view text_;
};

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // Into the object or list that comes next; false, and nowhere, when it is none.
  bool enter_object();
  bool enter_list();
  // To the next value in what was entered last; false at its end, which is left then. Every value that was
  // stepped to must be entered or skipped before the next step.
  bool next_field(std::string_view& name);
  bool next_item();
  // Past the value that comes next.
  JsonView skip();
  // Where it is in the text.
  const char* at() const { return at_; }

 private:
  bool take(char c);
  void skip_space();
  void skip_comma();
  void skip_string();
  void skip_nested();

  const char* at_;
  const char* end_;
};

}  // namespace teamster
