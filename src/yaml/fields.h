// Fields: the keys of one map of a workflow, taken one by one by whoever knows what they mean.
// A wrong type, a missing and an unknown key become problems with their place; reading goes on
// with nothing in its stead, so that one look finds all. Lives on the stack of one reading function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "yaml/document.h"
#include "yaml/problem.h"

namespace teamster::workflow {

// Where the problems of one file go.
struct Reading {
  const std::string& file;
  Problems& problems;

  void problem(Place place, std::string what) const { problems.add(file, place, std::move(what)); }
};

class Fields {
 public:
  // `what` names the thing in messages: "a loop". What is no map is a problem and has no fields.
  Fields(const Reading& reading, const Node& node, std::string what);

  bool has(std::string_view key) const;
  // Null when the key is absent.
  const Node* take(std::string_view key);
  // The same, but then it is a problem.
  const Node* need(std::string_view key);

  // Nothing when absent or, which is a problem, mistyped.
  std::optional<std::string> text(std::string_view key);
  std::string text_or_empty(std::string_view key) { return text(key).value_or(""); }
  std::string need_text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::optional<std::int64_t> number(std::string_view key, std::int64_t from, std::int64_t to);
  std::optional<bool> flag(std::string_view key);
  Duration duration(std::string_view key);
  // One of these words; the first when absent or wrong.
  std::string choice(std::string_view key, const std::vector<std::string>& words);

  // Every key that nobody asked for is a problem. `elsewhere`: keys that other things of this kind
  // have, for a better message.
  void finish(const std::vector<std::string>& elsewhere = {}) const;

  const Node& node() const { return node_; }
  const Reading& reading() const { return reading_; }
  const std::string& what() const { return what_; }
  // Of a key when it is there, else of the map.
  Place place_of(std::string_view key) const;

 private:
  const Reading& reading_;
  const Node& node_;
  std::string what_;
  std::vector<std::string> known_;
};

// The same for one value; `what` names it ("`max` of a loop").
std::optional<std::string> read_text(const Reading& reading, const Node& node, const std::string& what);
std::vector<std::string> read_texts(const Reading& reading, const Node& node, const std::string& what);
// Any value; what is ambiguous (`yes`, `012`) is a problem.
Json read_value(const Reading& reading, const Node& node);

// [a-z0-9][a-z0-9-]{0,63}, with `_` too when allowed. A problem otherwise; returns whether it is one.
bool check_name(const Reading& reading, const Node& node, const std::string& what, bool may_have_underscores = false);
// A regular expression that can be used.
void check_pattern(const Reading& reading, Place place, const std::string& pattern, bool needs_group);

}  // namespace teamster::workflow
