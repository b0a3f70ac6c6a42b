// JSON from outside, with limits: every byte that another process wrote is parsed
// here and nowhere else. Json itself is nlohmann::json; include <nlohmann/json.hpp>
// in the .cc that looks inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/limits.h"
#include "base/result.h"

namespace teamster {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t max_bytes = limits::kFrameMaxBytes;
  std::size_t max_depth = limits::kJsonMaxDepth;
};

// The error names the byte position. Never throws; recurses at most max_depth deep.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// One line; bytes that are not UTF-8 become U+FFFD instead of an exception.
std::string dump_json(const Json& json);
std::string dump_json_pretty(const Json& json);

// Fields of an object, by type. A missing or mistyped one is Code::invalid and names the field.
Result<std::string> string_field(const Json& object, std::string_view name);
Result<std::int64_t> integer_field(const Json& object, std::string_view name);
// Absent and null are nullopt; a wrong type is an error.
Result<std::optional<std::string>> optional_string_field(const Json& object, std::string_view name);
Result<std::optional<std::int64_t>> optional_integer_field(const Json& object, std::string_view name);
// Absent is false.
Result<bool> flag_field(const Json& object, std::string_view name);

}  // namespace teamster
