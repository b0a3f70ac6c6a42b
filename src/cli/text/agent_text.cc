#include "cli/text/agent_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kInputShownBytes = 160;
constexpr std::size_t kResultShownBytes = 200;

std::string one_line(std::string_view text, std::size_t max_bytes) {
  const std::string shown = printable_line(text);
  return shown.size() <= max_bytes ? shown : printable_line(std::string(text.substr(0, max_bytes))) + "…";
}

// What a tool is used on, by the names that agents' tools give it; else the first text there is.
std::string subject_of(const Json& input) {
  for (const char* name : {"command", "file_path", "path", "pattern", "query", "url", "description", "subject"})
    if (const std::string text = raw_text_in(input, name); !text.empty()) return text;
  if (input.is_object())
    for (const auto& [name, value] : input.items())
      if (value.is_string()) return value.get<std::string>();
  return {};
}

}  // namespace

std::string doing_text(const agent::Activity& activity) {
  using Kind = agent::Activity::Kind;
  if (activity.kind == Kind::thinking || activity.kind == Kind::tool_result) return "thinks";
  if (activity.kind == Kind::text) {
    const std::string_view words = trimmed(activity.text);
    return printable_line(words.substr(0, words.find('\n')));
  }
  if (activity.kind != Kind::tool_call) return {};
  const std::string subject = subject_of(activity.input);
  return printable_line(subject.empty() ? activity.tool : fmt::format("{} {}", activity.tool, subject));
}

std::string activity_text(const agent::Activity& activity) {
  using Kind = agent::Activity::Kind;
  switch (activity.kind) {
    case Kind::text:
      return printable_block(activity.text, "");
    case Kind::thinking:
      return "";
    case Kind::tool_call:
      return fmt::format("→ {} {}", printable_line(activity.tool),
                         one_line(dump_json(activity.input), kInputShownBytes));
    case Kind::tool_result:
      return fmt::format("← {}{}", activity.is_error ? "error: " : "", one_line(activity.text, kResultShownBytes));
    case Kind::status:
      return "… " + one_line(activity.text, kResultShownBytes);
    case Kind::noise:
      return "? not understood: " + one_line(activity.text, kResultShownBytes);
  }
  return "";
}

std::string usage_text(const Json& usage) {
  std::string text = fmt::format("{} in, {} out", number_in(usage, "input_tokens"), number_in(usage, "output_tokens"));
  if (number_in(usage, "cache_read_tokens") > 0)
    text += fmt::format(", {} from cache", number_in(usage, "cache_read_tokens"));
  const auto cost = usage.find("cost_usd");
  if (cost != usage.end() && cost->is_number()) text += fmt::format(", {:.4f} USD", cost->get<double>());
  return text;
}

std::string turn_text(const agent::TurnResult& result) {
  const agent::TurnEnd& end = result.end;
  std::string text = end.is_good() ? "turn done" : fmt::format("turn failed ({})", to_string(end.fault));
  if (!end.is_good()) text += ": " + printable_line(end.error);
  return fmt::format("{} ({})", text, usage_text(end.usage.json()));
}

std::string transcript_text(const Json& entry) {
  const std::string kind = raw_text_in(entry, "kind");
  const std::string text = raw_text_in(entry, "text");
  if (kind == "text") return printable_block(text, "");
  if (kind == "told") return "« " + printable_block(text, "");
  if (kind == "tool_call")
    return fmt::format("→ {} {}", text_in(entry, "tool"),
                       one_line(dump_json(object_in(entry, "input")), kInputShownBytes));
  if (kind == "tool_result")
    return fmt::format("← {}{}", flag_in(entry, "is_error") ? "error: " : "", one_line(text, kResultShownBytes));
  if (kind == "permission")
    return fmt::format("{} {} {}", flag_in(entry, "allowed") ? "allowed" : "denied", text_in(entry, "tool"),
                       printable_line(text));
  if (kind == "turn_started") return fmt::format("── turn {}", number_in(entry, "turn"));
  if (kind == "turn_ended") {
    const std::string error = text_in(entry, "error");
    return fmt::format("── turn {} {} ({})", number_in(entry, "turn"),
                       error.empty() ? "done" : fmt::format("failed: {}", error),
                       usage_text(object_in(entry, "usage")));
  }
  if (kind == "note" || kind == "status") return "… " + one_line(text, kResultShownBytes);
  if (kind == "noise") return "? not understood: " + one_line(text, kResultShownBytes);
  return "";
}

}  // namespace teamster::cli
