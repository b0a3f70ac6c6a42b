#include "engine/journal_fold.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "workflow/run_record.h"

namespace teamster::engine {
namespace {

constexpr std::array<std::string_view, 4> kOfHub = {"run.leased", "run.renewed", "run.released", "run.told"};

Error no_page() {
  return {Code::internal, "the hub sent something that is no page of a journal", "Run `teamster doctor`"};
}

// Of a hub that does not say it in the head.
std::int64_t last_number(JsonCursor events) {
  std::int64_t last = 0;
  if (events.enter_list())
    while (events.next_item()) last = events.skip().field("n").integer().value_or(last);
  return last;
}

}  // namespace

Result<JournalPage> journal_page(std::string_view text) {
  std::optional<std::int64_t> last;
  std::optional<bool> has_more;
  std::optional<JsonCursor> events;
  JsonCursor cursor(text);
  if (!cursor.enter_object()) return fail(no_page());
  for (std::string_view name; cursor.next_field(name);) {
    if (name == "events") {
      events = cursor;
      if (last && has_more) break;  // nothing else is behind the list
    }
    const JsonView value = cursor.skip();
    if (name == "last") last = value.integer();
    if (name == "more") has_more = value.is_true();
  }
  if (!events) return fail(no_page());
  return JournalPage{last ? *last : last_number(*events), has_more.value_or(false), *events};
}

JournalFold::JournalFold(const Snapshot& kept) : n_(kept.n), state_(workflow::to_text(kept.state)) {
  for (const auto& [id, since] : kept.since)
    if (const auto open = state_.open.find(id); open != state_.open.end()) open->second.since = since;
}

Result<void> JournalFold::add(JournalPage page) {
  if (!page.events.enter_list()) return fail(no_page());
  while (page.events.next_item()) TRY_VOID(add_event(page.events));
  n_ = page.last;
  return {};
}

Result<void> JournalFold::add_event(JsonCursor& cursor) {
  if (!cursor.enter_object()) return fail(no_page());
  std::optional<Result<workflow::TextRecord*>> record;
  std::string_view at;
  std::string_view kind;
  for (std::string_view name; cursor.next_field(name);) {
    if (is_word(name, "body")) {
      const JsonCursor before = cursor;
      record = reader_.read(cursor);
      if (*record) continue;
      cursor = before;  // whose record it is stands behind it
    }
    const JsonView value = cursor.skip();
    if (is_word(name, "at")) at = value.inside();
    if (is_word(name, "kind")) kind = value.inside();
  }
  if (!record || kind.empty()) return fail(no_page());
  if (std::find(kOfHub.begin(), kOfHub.end(), kind) != kOfHub.end()) return {};
  if (*record && kind == workflow::event::kStarted) {
    // The hub wraps what it was given at the start.
    JsonCursor wrapped(JsonView((**record)->event.body.text).field("body").text());
    record = reader_.read(wrapped);
  }
  if (!*record)
    return fail(Code::invalid,
                fmt::format("a record after number {} of the journal cannot be read: {}", n_, record->error().what),
                "Run `teamster doctor`");
  workflow::TextRecord& read = ***record;
  read.event.kind = kind;
  const WallTime time = parse_iso8601(at).value_or(WallTime{});
  for (auto& command : read.commands) command.at = time;
  workflow::apply(state_, read);
  return {};
}

Result<Snapshot> JournalFold::take() {
  Snapshot taken{n_, TRY(workflow::to_tree(state_))};
  for (const auto& [id, open] : state_.open) taken.since[id] = open.since;
  return taken;
}

}  // namespace teamster::engine
