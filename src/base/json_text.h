// JSON written as text, without building a tree first: for answers, of which the hub makes
// thousands in a second. Pure; appends to a string that the caller owns. Bytes that are not
// UTF-8 become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace teamster {

// The text of one value, on one line, as dump_json writes it.
void append_json(std::string& out, const Json& json);
void append_json_string(std::string& out, std::string_view text);

// One object: fields in the order in which they are added. Names are literals of this
// program and need no escaping.
class JsonObjectText {
 public:
  JsonObjectText() {
    text_.reserve(256);  // most answers
    text_ += '{';
  }

  JsonObjectText& add(std::string_view name, std::int64_t value);
  JsonObjectText& add(std::string_view name, std::string_view value);
  JsonObjectText& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }
  JsonObjectText& add_null(std::string_view name) { return add_json(name, "null"); }
  // `json` is the text of a value.
  JsonObjectText& add_json(std::string_view name, std::string_view json);
  // Nothing may be added after it.
  std::string take() {
    text_ += '}';
    return std::move(text_);
  }

 private:
  void begin(std::string_view name);
  std::string text_;
};

}  // namespace teamster
