#include "agent/finished_turn.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "agent/transcript.h"

namespace teamster::agent {
namespace {

// A longer one is not looked at: the prompt is said again.
constexpr std::size_t kTranscriptReadMaxBytes = std::size_t{256} * 1024 * 1024;

Usage usage_in(const Json& entry) {
  Usage usage;
  const Json given = entry.value("usage", Json::object());
  usage.input_tokens = given.value("input_tokens", std::int64_t{0});
  usage.output_tokens = given.value("output_tokens", std::int64_t{0});
  usage.cache_read_tokens = given.value("cache_read_tokens", std::int64_t{0});
  usage.cache_write_tokens = given.value("cache_write_tokens", std::int64_t{0});
  if (given.contains("cost_usd") && given["cost_usd"].is_number()) usage.cost_usd = given["cost_usd"].get<double>();
  return usage;
}

std::optional<Json> next_entry(std::string_view& text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;  // what a crash left of a line
    auto entry = parse_json(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (entry && entry->is_object()) return *std::move(entry);
  }
  return std::nullopt;
}

}  // namespace

std::optional<TurnResult> find_finished_turn(env::Files& files, const std::string& member_directory,
                                             const std::string& prompt) {
  const auto file = files.read(Transcript::file_in(member_directory), kTranscriptReadMaxBytes);
  if (!file) return std::nullopt;
  std::string_view text = *file;
  bool is_asked = false;
  std::optional<TurnResult> found;
  while (auto entry = next_entry(text)) {
    const std::string kind = entry->value("kind", "");
    if (kind == "told" && entry->contains("prompt")) {
      is_asked = entry->value("prompt", "") == prompt;
    } else if (kind == "turn_ended" && is_asked && !entry->contains("fault") && entry->value("solicited", true) &&
               entry->contains("result")) {
      found.emplace();
      found->end.text = entry->value("text", "");
      found->end.stop_reason = entry->value("stop", "");
      found->end.usage = usage_in(*entry);
      found->answer.value = entry->at("result");
      is_asked = false;
    }
  }
  return found;
}

}  // namespace teamster::agent
