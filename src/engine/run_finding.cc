#include "engine/run_finding.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"
#include "engine/run_reading.h"
#include "protocol/client/call.h"
#include "protocol/client/pages.h"

namespace teamster::engine {

void RunFinding::rows(bool all, Then<std::vector<ListedRun>> then) {
  hub::ask_for_all(calls_, hub::ListRuns{.all = all}, std::move(then));
}

// The list does not say who started a run, so each that is under way is looked at.
void RunFinding::under_way_for(const std::string& parent, Then<std::optional<std::string>> then) {
  rows(false, [=, this](const Result<std::vector<ListedRun>>& found) {
    if (!found) return then(fail(found.error()));
    auto left = std::make_shared<std::size_t>(found->size());
    auto meant = std::make_shared<std::optional<std::string>>();
    if (*left == 0) return then(std::optional<std::string>());
    for (const auto& row : *found)
      hub::ask(calls_, hub::GetRun{row.run}, [=, run = row.run](const Result<hub::GetRun::Answer>& whole) {
        if (whole && parent_of_run(*whole) == parent) *meant = run;
        if (--*left == 0) then(*meant);
      });
  });
}

void RunFinding::start_of(const std::string& run, const Then<NamedWords>& then) {
  hub::ask(calls_, hub::ReadRun{.run = run, .after = 0, .limit = 1}, [then](const Result<hub::ReadRun::Answer>& page) {
    if (!page) return then(fail(page.error()));
    RunReading reading;
    for (const auto& event : page->items) reading.add(event);
    const workflow::RunState& state = reading.state();
    then(NamedWords{state.entry, state.args, state.flags.is_null() ? Json::object() : state.flags});
  });
}

void RunFinding::free_name(const std::string& stem, env::Random& random, Then<std::string> then) {
  // Where they are nearly used up the hub refuses one that is taken.
  constexpr int kTriesMax = 100;
  try_name(stem, random, kTriesMax, then);
}

void RunFinding::try_name(const std::string& stem, env::Random& random, int tries, const Then<std::string>& then) {
  const std::string run = stem + random.hex(2);
  hub::ask(calls_, hub::GetRun{run}, [=, this, &random](const Result<hub::GetRun::Answer>& taken) {
    if (taken && tries > 1) return try_name(stem, random, tries - 1, then);
    if (!taken && taken.error().code != Code::not_found) return then(fail(taken.error()));
    then(run);
  });
}

const ListedRun* live_run_of(const std::vector<ListedRun>& rows, const std::string& workflow, const std::string& key) {
  const ListedRun* found = nullptr;
  for (const auto& row : rows)
    if (!key.empty() && !row.has_ended() && row.workflow == workflow && row.key == key) found = &row;
  return found;
}

const ListedRun* ended_run_of(const std::vector<ListedRun>& rows, const std::string& workflow, const std::string& key,
                              WallTime since) {
  const ListedRun* found = nullptr;
  for (const auto& row : rows)
    if (!key.empty() && row.has_ended() && row.workflow == workflow && row.key == key && row.started &&
        row.started->unix_ms >= since.unix_ms)
      found = &row;
  return found;
}

std::string key_of_run(const std::string& key, const std::string& project, const std::string& parent) {
  const std::string whole = key.empty() ? parent : fmt::format("{} in {}", key, project);
  return whole.size() <= limits::kKeyMaxBytes ? whole : to_hex(sha256(whole));
}

std::string parent_of_run(const hub::GetRun::Answer& run) { return raw_text_in(run.body, "parent"); }

}  // namespace teamster::engine
