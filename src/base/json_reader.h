// JsonReader: one JSON text into one Json, in a single pass with limits. Used by parse_json
// alone. It exists because most of a request's processor time went into a general parser:
// this one takes runs of a string at once and puts sorted keys where they belong without a
// search, since our own frames are sorted. Recursion is bounded by the limit on depth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace teamster {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  // The whole text must be one value. The error names the byte.
  Result<Json> read();

 private:
  // Each returns false when the text is wrong at at_; `problem_` says more where there is more to say.
  bool read_value(Json& into, std::size_t depth);
  bool read_object(Json& into, std::size_t depth);
  bool read_array(Json& into, std::size_t depth);
  bool read_string(std::string& into);
  bool read_escape(std::string& into);
  bool read_code_unit(unsigned& unit);
  bool read_number(Json& into);
  bool read_word(std::string_view word);
  bool skip_digits();
  bool enter(std::size_t depth);

  void skip_space();
  bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c);

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace teamster
