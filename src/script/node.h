// Node: one place of a script file, known by its JSON pointer, so that every mistake can be
// named exactly. Borrows the document and the file's name; used by the parser alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace teamster::script {

struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
};

class ScriptNode {
 public:
  ScriptNode(const Json& value, std::string pointer, std::string_view file)
      : value_(&value), pointer_(std::move(pointer)), file_(file) {}

  const Json& value() const { return *value_; }
  tl::unexpected<Error> wrong(std::string_view what, std::string_view next = {}) const;
  tl::unexpected<Error> expected(std::string_view kind) const;

  // An object with none but these keys.
  Result<void> check_keys(std::initializer_list<std::string_view> keys) const;
  bool has(std::string_view key) const;
  Result<ScriptNode> member(std::string_view key) const;
  // The key of an object that has exactly one.
  Result<std::string> only_key() const;
  Result<std::vector<ScriptNode>> elements() const;

  Result<std::string> text() const;
  Result<std::int64_t> integer(Bounds bounds) const;
  Result<double> number() const;
  Result<bool> truth() const;
  Result<Duration> duration() const;
  Result<Json> object() const;

  // Of members; `otherwise` when absent.
  Result<std::string> text_at(std::string_view key) const;
  Result<std::string> text_at(std::string_view key, std::string otherwise) const;
  Result<std::int64_t> integer_at(std::string_view key, Bounds bounds, std::int64_t otherwise) const;
  Result<std::optional<std::int64_t>> optional_integer_at(std::string_view key, Bounds bounds) const;
  Result<bool> truth_at(std::string_view key) const;

 private:
  ScriptNode child(const Json& value, std::string_view key) const;

  const Json* value_;
  std::string pointer_;
  std::string_view file_;
};

}  // namespace teamster::script
