#include "engine/kept_files.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "workflow/core/words.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kKeptFileMaxBytes = std::size_t{4} * 1024 * 1024;
constexpr std::uint32_t kOnlyOurs = 0600;

}  // namespace

KeptFiles::KeptFiles(env::Files& files, const workflow::Workflow& workflow, std::string project, std::string directory)
    : files_(files), workflow_(workflow), project_(std::move(project)), directory_(std::move(directory)) {}

std::vector<KeptFiles::HandedIn> KeptFiles::handed_in(const workflow::RunState& state) const {
  std::vector<HandedIn> all;
  for (const auto& phase : workflow_.phases) {
    const auto answer = state.answers.find(phase.id);
    if (answer == state.answers.end() || phase.role.empty()) continue;
    for (const auto& file : phase.files) {
      const Json named = workflow::value_at(answer->second.value, file.field);
      if (!named.is_string()) continue;
      const auto path = named.get<std::string>();
      if (path.starts_with('/') && !path.starts_with(project_ + "/")) all.push_back({path, phase.role});
    }
  }
  return all;
}

std::string KeptFiles::copy_of(const std::string& path) const { return directory_ + "/" + to_hex(sha256(path)); }

void KeptFiles::begin(const std::string& id, const std::string& role, const workflow::RunState& state, bool again) {
  // What belongs to this role may change from now on, whoever else is at work.
  for (auto& [other, watched] : watched_)
    std::erase_if(watched.files, [&](const HandedIn& file) { return file.role == role; });
  Watched watched{role, {}};
  for (auto& file : handed_in(state)) {
    const bool is_at_work = std::any_of(watched_.begin(), watched_.end(),
                                        [&](const auto& other) { return other.second.role == file.role; });
    if (file.role == role || is_at_work) continue;
    if (!again || !files_.read(copy_of(file.path), kKeptFileMaxBytes)) {
      const auto text = files_.read(file.path, kKeptFileMaxBytes);
      if (!text || !files_.make_private_directory(directory_) ||
          !files_.write_atomically(copy_of(file.path), *text, kOnlyOurs))
        continue;
    }
    watched.files.push_back(std::move(file));
  }
  watched_[id] = std::move(watched);
}

std::vector<std::string> KeptFiles::end(const std::string& id) {
  std::vector<std::string> changed;
  const auto watched = watched_.extract(id);
  if (watched.empty()) return changed;
  for (const auto& file : watched.mapped().files) {
    const auto kept = files_.read(copy_of(file.path), kKeptFileMaxBytes);
    const auto now = files_.read(file.path, kKeptFileMaxBytes);
    if (!kept || (now && *now == *kept)) continue;
    if (now) (void)files_.write_atomically(copy_of(file.path) + ".changed", *now, kOnlyOurs);
    if (files_.write_atomically(file.path, *kept, 0644)) changed.push_back(file.path);
  }
  return changed;
}

}  // namespace teamster::engine
