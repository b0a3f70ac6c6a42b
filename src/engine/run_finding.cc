#include "engine/run_finding.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"

namespace teamster::engine {

RunRow read_run_row(const Json& row) {
  const Json& holder = field_in(row, "holder");
  RunRow read;
  read.run = raw_text_in(row, "run");
  read.workflow = raw_text_in(row, "workflow");
  read.key = raw_text_in(row, "key");
  read.started = parse_iso8601(raw_text_in(row, "started")).value_or(WallTime{});
  read.has_ended = !field_in(row, "ended").is_null();
  read.is_held = flag_in(holder, "alive");
  read.holder_pid = integer_field(holder, "pid").value_or(0);
  return read;
}

void RunFinding::rows(bool all, Then<std::vector<RunRow>> then) {
  Json args = Json::object();
  if (all) args["all"] = true;
  read_page(args, std::make_shared<std::vector<RunRow>>(), then);
}

void RunFinding::read_page(const Json& args, const std::shared_ptr<std::vector<RunRow>>& rows,
                           const Then<std::vector<RunRow>>& then) {
  hub_.call({"run.list", args}, [=, this, alive = alive_](const Result<Json>& page) {
    if (!*alive) return;
    if (!page) return then(fail(page.error()));
    const Json& list = field_in(*page, "runs");
    if (list.is_array())
      for (const auto& row : list) rows->push_back(read_run_row(row));
    const Json& next = field_in(*page, "next");
    if (next.is_null()) return then(std::move(*rows));
    Json rest = args;
    rest["after"] = next;
    read_page(rest, rows, then);
  });
}

// The list does not say who started a run, so each that is under way is looked at.
void RunFinding::under_way_for(const std::string& parent, Then<std::optional<std::string>> then) {
  rows(false, [=, this](Result<std::vector<RunRow>> found) {
    if (!found) return then(fail(found.error()));
    auto left = std::make_shared<std::size_t>(found->size());
    auto meant = std::make_shared<std::optional<std::string>>();
    if (*left == 0) return then(std::optional<std::string>());
    for (const auto& row : *found)
      hub_.call({"run.get", {{"run", row.run}}}, [=, alive = alive_, run = row.run](const Result<Json>& whole) {
        if (!*alive) return;
        if (whole && raw_text_in(field_in(*whole, "body"), "parent") == parent) *meant = run;
        if (--*left == 0) then(*meant);
      });
  });
}

void RunFinding::free_name(const std::string& stem, env::Random& random, Then<std::string> then) {
  // Where they are nearly used up the hub refuses one that is taken.
  constexpr int kTriesMax = 100;
  try_name(stem, random, kTriesMax, then);
}

void RunFinding::try_name(const std::string& stem, env::Random& random, int tries, const Then<std::string>& then) {
  const std::string run = stem + random.hex(2);
  hub_.call({"run.get", {{"run", run}}}, [=, this, &random, alive = alive_](const Result<Json>& taken) {
    if (!*alive) return;
    if (taken && tries > 1) return try_name(stem, random, tries - 1, then);
    if (!taken && taken.error().code != Code::not_found) return then(fail(taken.error()));
    then(run);
  });
}

const RunRow* live_run_of(const std::vector<RunRow>& rows, const std::string& workflow, const std::string& key) {
  const RunRow* found = nullptr;
  for (const auto& row : rows)
    if (!key.empty() && !row.has_ended && row.workflow == workflow && row.key == key) found = &row;
  return found;
}

const RunRow* ended_run_of(const std::vector<RunRow>& rows, const std::string& workflow, const std::string& key,
                           WallTime since) {
  const RunRow* found = nullptr;
  for (const auto& row : rows)
    if (!key.empty() && row.has_ended && row.workflow == workflow && row.key == key &&
        row.started.unix_ms >= since.unix_ms)
      found = &row;
  return found;
}

std::string key_of_run(const std::string& key, const std::string& project, const std::string& parent) {
  const std::string whole = key.empty() ? parent : fmt::format("{} in {}", key, project);
  return whole.size() <= limits::kKeyMaxBytes ? whole : to_hex(sha256(whole));
}

}  // namespace teamster::engine
