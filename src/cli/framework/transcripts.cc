#include "cli/framework/transcripts.h"

#include <algorithm>
#include <deque>

#include "base/json.h"
#include "cli/text/agent_text.h"
#include "engine/run_setup.h"
#include "env/files.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kTranscriptMaxBytes = 1024UL * 1024 * 1024;

std::vector<std::string> names_in(const Context& context, const std::string& directory) {
  auto names = context.outside().world().files.list(directory);
  if (!names) return {};
  std::sort(names->begin(), names->end());
  return *std::move(names);
}

}  // namespace

Result<void> TranscriptFollower::show(std::size_t keep) {
  const auto text = context_.outside().world().files.read(path_, kTranscriptMaxBytes);
  if (!text) return text.error().code == Code::not_found ? Result<void>() : fail(text.error());
  std::deque<std::string_view> lines;
  const std::string_view fresh = std::string_view(*text).substr(std::min(shown_, text->size()));
  std::size_t at = 0;
  for (std::size_t end = 0; (end = fresh.find('\n', at)) != fresh.npos; at = end + 1) {
    lines.push_back(fresh.substr(at, end - at));
    if (lines.size() > keep) lines.pop_front();
  }
  shown_ += at;
  for (const auto line : lines) print(line);
  context_.outside().out.flush();
  return {};
}

void TranscriptFollower::print(std::string_view line) {
  const auto entry = parse_json(line);
  if (!entry) return;
  if (context_.wants_json()) return context_.print_json(*entry);
  const std::string text = transcript_text(*entry);
  if (text.empty()) return;
  context_.print(text.ends_with('\n') ? text : text + "\n");
}

std::vector<std::string> kept_transcripts(const Context& context, const hub::Home& home, const std::string& run,
                                          const std::string& member) {
  std::vector<std::string> files;
  for (const auto& team : names_in(context, engine::transcripts_directory(home, run))) {
    std::string file = engine::transcript_file(home, run, team, member);
    const auto status = context.outside().world().files.status(file);
    if (status && *status) files.push_back(std::move(file));
  }
  return files;
}

std::string latest_kept_transcript(const Context& context, const hub::Home& home, const std::string& team,
                                   const std::string& member) {
  std::string latest;
  std::int64_t modified = -1;
  for (const auto& run : names_in(context, home.path() + "/runs")) {
    std::string file = engine::transcript_file(home, run, team, member);
    const auto status = context.outside().world().files.status(file);
    if (!status || !*status || (*status)->modified_unix_ms <= modified) continue;
    modified = (*status)->modified_unix_ms;
    latest = std::move(file);
  }
  return latest;
}

}  // namespace teamster::cli
