#include "agent/transcript.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

std::string shortened(const std::string& text) {
  if (text.size() <= limits::kTranscriptTextMaxBytes) return text;
  return fmt::format("{}… ({} bytes)", beginning_of(text, limits::kTranscriptTextMaxBytes), text.size());
}

}  // namespace

void Transcript::write(const char* kind, Json entry) {
  entry["at"] = to_iso8601(clock_.wall_now());
  entry["turn"] = turn_;
  entry["kind"] = kind;
  // A transcript that cannot be written must not stop the work; the disk's state shows elsewhere.
  (void)files_.append(path_, dump_json(entry) + "\n", 0600);
}

void Transcript::turn_started(std::int64_t turn) {
  turn_ = turn;
  write("turn_started", Json::object());
}

void Transcript::told(const std::string& input, const std::string& text, const std::string& prompt) {
  Json entry = {{"input", input}, {"text", shortened(text)}};
  if (!prompt.empty()) entry["prompt"] = prompt;
  write("told", std::move(entry));
}

void Transcript::activity(const Activity& activity) {
  Json entry = Json::object();
  if (!activity.text.empty()) entry["text"] = shortened(activity.text);
  if (!activity.tool.empty()) entry["tool"] = activity.tool;
  if (!activity.id.empty()) entry["id"] = activity.id;
  if (!activity.input.is_null()) {
    // As it is when it is short, as a cut text when it is long.
    const std::string input = dump_json(activity.input);
    if (input.size() <= limits::kTranscriptTextMaxBytes)
      entry["input"] = activity.input;
    else
      entry["input"] = shortened(input);
  }
  if (activity.is_error) entry["is_error"] = true;
  write(std::string(to_string(activity.kind)).c_str(), std::move(entry));
}

void Transcript::permission(const PermissionRequest& request, const PermissionAnswer& answer) {
  write("permission", {{"tool", request.tool},
                       {"input", shortened(dump_json(request.input))},
                       {"allowed", answer.allow},
                       {"text", answer.message}});
}

void Transcript::turn_ended(const TurnEnd& end, const Json& result) {
  Json entry = {{"text", shortened(end.text)}, {"stop", end.stop_reason}, {"usage", end.usage.json()}};
  if (!end.is_good()) {
    entry["fault"] = to_string(end.fault);
    entry["error"] = shortened(end.error);
  }
  if (!end.solicited) entry["solicited"] = false;
  if (!result.is_null()) entry["result"] = result;
  write("turn_ended", std::move(entry));
}

void Transcript::note(const std::string& text) { write("note", {{"text", shortened(text)}}); }

}  // namespace teamster::agent
