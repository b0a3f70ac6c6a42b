#include "engine/snapshot.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_fields.h"
#include "engine/run_setup.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kSnapshotMaxBytes = std::size_t{256} * 1024 * 1024;

std::map<std::string, WallTime> times_in(const Json& object) {
  std::map<std::string, WallTime> times;
  if (!object.is_object()) return times;
  for (const auto& [id, at] : object.items())
    if (at.is_number_integer()) times[id] = WallTime{at.get<std::int64_t>()};
  return times;
}

}  // namespace

SnapshotFile::SnapshotFile(env::Files& files, const hub::Home& home, const std::string& run, std::string digest)
    : files_(files), path_(run_directory(home, run) + "/snapshot.json"), digest_(std::move(digest)) {}

Result<std::optional<Snapshot>> SnapshotFile::read(std::int64_t last_n) const {
  const auto broken = [&](const std::string& why) {
    return fail(Code::invalid, fmt::format("{}: {}", path_, why), "The journal is read instead; remove the file");
  };
  const auto text = files_.read(path_, kSnapshotMaxBytes);
  if (!text && text.error().code == Code::not_found) return std::optional<Snapshot>();
  if (!text) return fail(text.error());
  const auto json = parse_json(*text, {.max_bytes = kSnapshotMaxBytes});
  if (!json || !json->is_object()) return broken("it is torn");
  const auto n = integer_field(*json, "n");
  if (!n || *n < 1 || *n > last_n) return broken("it is of a record that there is not");
  if (raw_text_in(*json, "digest") != digest_) return broken("it is of another workflow");
  if (!object_in(*json, "state").is_object() || object_in(*json, "state").empty()) return broken("it has no state");
  auto state = workflow::state_from_json(object_in(*json, "state"));
  if (!state) return broken(state.error().text());
  return std::optional(Snapshot{*n, *std::move(state), times_in(object_in(*json, "since"))});
}

Result<void> SnapshotFile::write(const Snapshot& snapshot) const {
  Json since = Json::object();
  for (const auto& [id, at] : snapshot.since) since[id] = at.unix_ms;
  Json json = {{"n", snapshot.n}, {"digest", digest_}};
  json["since"] = std::move(since);
  json["state"] = workflow::to_json(snapshot.state);
  return files_.replace(path_, dump_json(json), 0600);
}

}  // namespace teamster::engine
