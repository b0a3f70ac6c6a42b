#include "project/ledger.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "project/ledger_index.h"
#include "project/project.h"
#include "project/project_path.h"
#include "project/short_text.h"

namespace teamster::engine {
namespace {

// Of the bits of a directory, those that a file has.
constexpr std::uint32_t kFileBits = 0666;
constexpr std::uint32_t kDirectoryBits = 0777;
// How Files names a file until it is whole.
constexpr std::string_view kTornPrefix = ".tmp-";

std::string absolute(const LedgerPlace& place, const std::string& name) {
  return fmt::format("{}/{}/{}", place.project, place.directory, name);
}

Result<void> check_place(const LedgerPlace& place) {
  TRY_VOID(check_project_path("the ledger's directory", place.directory));
  return check_file_name("the ledger's manifest", place.index);
}

// nullopt when there is none. Also the way to find out that the directory leads out of the
// project, before anything is written through it.
Result<std::optional<std::string>> read_file(env::Files& files, const LedgerPlace& place, const std::string& name,
                                             std::size_t max_bytes) {
  auto text = files.read_beneath(place.project, place.directory + "/" + name, max_bytes);
  if (text) return std::optional(*std::move(text));
  if (text.error().code == Code::not_found) return std::optional<std::string>();
  return fail(text.error());
}

// Who may read the project may read its ledger. Refuses to make the project's directory itself.
Result<std::uint32_t> make_directories(env::Files& files, const LedgerPlace& place) {
  TRY_VOID(check_is_there({files, place.project}));
  const auto status = TRY(files.status(place.project));
  const std::uint32_t mode = (status ? status->mode : 0) & kDirectoryBits;
  for (std::size_t end = 0; end < place.directory.size();) {
    end = std::min(place.directory.find('/', end + 1), place.directory.size());
    TRY_VOID(files.make_directory(fmt::format("{}/{}", place.project, place.directory.substr(0, end)), mode));
  }
  return mode & kFileBits;
}

}  // namespace

std::string_view to_string(LedgerStatus status) {
  switch (status) {
    case LedgerStatus::in_progress:
      return "in_progress";
    case LedgerStatus::done:
      return "done";
    case LedgerStatus::blocked:
      break;
  }
  return "blocked";
}

std::string_view to_string(LedgerPhaseStatus status) {
  switch (status) {
    case LedgerPhaseStatus::pending:
      return "pending";
    case LedgerPhaseStatus::in_progress:
      return "in_progress";
    case LedgerPhaseStatus::done:
      break;
  }
  return "done";
}

std::string phase_key(std::int64_t number, const std::string& id) {
  std::string key = fmt::format("{}_{}", number, id);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

Result<std::optional<LedgerState>> load_ledger(env::Files& files, const LedgerPlace& place) {
  TRY_VOID(check_place(place));
  const auto text = TRY(read_file(files, place, place.index, limits::kLedgerIndexMaxBytes));
  if (!text) return std::optional<LedgerState>();
  return std::optional(TRY(read_ledger_index(place.index_path(), *text)));
}

Result<void> save_ledger(env::Files& files, const LedgerPlace& place, const LedgerState& state) {
  TRY_VOID(check_place(place));
  const auto before = TRY(read_file(files, place, place.index, limits::kLedgerIndexMaxBytes));
  if (before && before->empty())
    return fail(Code::invalid, fmt::format("{} is empty", place.index_path()),
                "Take it from the last commit, or remove it to begin anew");
  const std::string text = TRY(change_ledger_index(place.index_path(), before.value_or(""), state));
  if (before == text) return {};
  const std::uint32_t mode = TRY(make_directories(files, place));
  const auto there = TRY(files.status(absolute(place, place.index)));
  return files.write_atomically(absolute(place, place.index), text, there ? there->mode & kFileBits : mode);
}

Result<std::string> artifact_name(const std::string& name, const Artifact& artifact) {
  const auto lookup = [&](std::string_view source) -> std::optional<std::string> {
    if (source == "sequence") return std::to_string(artifact.sequence);
    if (source == "number") return std::to_string(artifact.number);
    if (source == "id") return artifact.id;
    return std::nullopt;
  };
  std::string file = TRY(render_short_text(name, lookup));
  TRY_VOID(check_file_name("the artifact", file));
  return file;
}

Result<std::string> write_artifact(env::Files& files, const LedgerPlace& place, const std::string& name,
                                   const Artifact& artifact) {
  TRY_VOID(check_place(place));
  std::string file = TRY(artifact_name(name, artifact));
  if (file == place.index)
    return fail(Code::invalid, fmt::format("the artifact {} has the name of the manifest", file),
                "Give it another name in the workflow's ledger");
  const std::string text = dump_json_pretty(artifact.answer) + "\n";
  auto before = TRY(read_file(files, place, file, limits::kArtifactMaxBytes));
  if (!before) {
    const std::uint32_t mode = TRY(make_directories(files, place));
    if (TRY(files.create_exclusively(absolute(place, file), text, mode))) return file;
    before = TRY(read_file(files, place, file, limits::kArtifactMaxBytes));
  }
  if (before == text) return file;
  // Another tool writes the same in other letters; the file stays as it is.
  const auto same = parse_json(*before, {.max_bytes = limits::kArtifactMaxBytes});
  if (same && *same == artifact.answer) return file;
  return fail(
      Code::refused, fmt::format("{}/{} is there already, with another content", place.directory, file),
      fmt::format("Set next_sequence in {} to a number that is free, or move the file away", place.index_path()));
}

Result<Json> read_artifact(env::Files& files, const LedgerPlace& place, const std::string& file) {
  TRY_VOID(check_place(place));
  TRY_VOID(check_file_name("the artifact", file));
  const std::string path = place.directory + "/" + file;
  const auto text = TRY(read_file(files, place, file, limits::kArtifactMaxBytes));
  if (!text)
    return fail(Code::not_found, fmt::format("{} names {}, which is missing", place.index_path(), path),
                "Take it from the last commit, or set the phase back to pending");
  auto json = parse_json(*text, {.max_bytes = limits::kArtifactMaxBytes});
  if (!json)
    return fail(Code::invalid, fmt::format("{}: {}", path, json.error().what),
                "Mend it, or take it from the last commit");
  return json;
}

Result<void> remove_torn_writes(env::Files& files, const LedgerPlace& place) {
  TRY_VOID(check_place(place));
  // Refuses a directory that leads out of the project.
  TRY_VOID(read_file(files, place, place.index, limits::kLedgerIndexMaxBytes));
  const auto names = files.list(place.project + "/" + place.directory);
  if (!names && names.error().code == Code::not_found) return {};
  if (!names) return fail(names.error());
  for (const auto& name : *names)
    if (name.starts_with(kTornPrefix)) TRY_VOID(files.remove_tree(absolute(place, name)));
  return {};
}

}  // namespace teamster::engine
