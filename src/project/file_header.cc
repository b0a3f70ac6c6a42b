#include "project/file_header.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/schema.h"
#include "yaml/document.h"
#include "yaml/problem.h"

namespace teamster::engine {
namespace {

constexpr std::string_view kFence = "---";
constexpr const char* kHeaderFile = "the header";

// The end of the line that begins at `at`.
std::size_t line_end(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

Result<Json> header_of(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t first = line_end(whole, 0);
  if (trimmed(whole.substr(0, first)) != kFence)
    return fail(Code::invalid, "it does not begin with a header",
                "Let its first line be `---`, then YAML, then a line `---`");
  for (std::size_t at = first + 1; at < whole.size(); at = line_end(whole, at) + 1) {
    if (trimmed(whole.substr(at, line_end(whole, at) - at)) != kFence) continue;
    workflow::Problems problems;
    const auto document = workflow::parse_document(kHeaderFile, whole.substr(first + 1, at - first - 1), problems);
    if (!problems.empty()) return fail(Code::invalid, problems.sorted().front().text());
    return document ? workflow::to_json(document->root) : Json::object();
  }
  return fail(Code::invalid, "its header has no end", "Put a line `---` behind the YAML");
}

}  // namespace

Result<void> check_file_header(const std::string& text, std::string_view schema, const Json& answer) {
  const Json header = TRY(header_of(text));
  const auto compiled = schema::Schema::compile(TRY(parse_json(schema)));
  if (!compiled) return fail(compiled.error());
  if (const auto wrong = compiled->check(header); !wrong.empty())
    return fail(Code::invalid, fmt::format("its header is not as it should be: {}", join(wrong, "; ")));
  if (!answer.is_object()) return {};
  for (const auto& [name, value] : header.items()) {
    const auto said = answer.find(name);
    if (said == answer.end() || said->is_structured() || value.is_structured() || *said == value) continue;
    return fail(Code::invalid,
                fmt::format("its header says {}: {}, and the answer {}", name, dump_json(value), dump_json(*said)),
                "Let both say the same");
  }
  return {};
}

}  // namespace teamster::engine
