// Journal: the ordered record of everything that happened in one home, and the only truth about it; all tables are
// projections of it. An interface: the store appends to it in batches and follows it from a cursor, whatever keeps it.
// SQLite does (sqlite_journal.h); another backend can. Owned by the store, on its thread. One process has it at a time.
// What settle returned for survives as the backend's options say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "store/event.h"

namespace teamster::store {

// The first answer to an idempotency key.
struct RecordedAnswer {
  std::int64_t digest = 0;
  std::string answer;
};

// The request that caused some events, for who asks again with the same key. Borrows its texts.
struct RequestMark {
  std::string_view key;
  std::int64_t digest = 0;
  std::string_view answer;
};

// Where a reader of the journal is, and how much it takes at once.
struct JournalCursor {
  Seq after;                        // events above it
  std::optional<TeamId> team = {};  // of one team alone
  std::size_t limit = limits::kPageMaxRows;
  std::size_t max_bytes = limits::kPageMaxBytes;  // about; at least one event is given
};

struct JournalPage {
  std::vector<Event> events;
  Seq last;           // the `after` of the next page
  bool more = false;  // whether the journal goes on behind it
};

// The same for the records of one run, which are numbered for themselves.
struct RunCursor {
  std::int64_t after = 0;  // records with numbers above it
  std::size_t limit = limits::kPageMaxRows;
  std::size_t max_bytes = limits::kPageMaxBytes;  // about; at least one record is given
  bool from_others = false;                       // only what its holder listens for: is_from_others
};

struct RunPage {
  std::int64_t last = 0;  // number of the last record; where there is none, of the one before it
  bool is_empty = true;
  bool is_full = false;  // a limit ended it, so there may be more
};

// A record of a run as it is read back. The body stays text: who reads it passes it on.
// As it stands in the backend's memory: good for as long as it is looked at.
struct NumberedRecord {
  std::int64_t n = 0;  // in its run, from 1
  Seq seq;
  WallTime at;
  std::string_view kind;
  std::string_view body;
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Takes the journal for this process alone, until it is destroyed. Before anything else.
  virtual Result<void> lock() = 0;
  // Number of the newest event; 0 when there is none.
  virtual Result<Seq> newest() = 0;

  // --- one batch: all of it or nothing
  virtual Result<void> prepare() = 0;
  // Events of one command, with `text` as their bodies; the first carries the mark, if there is one. One call for the
  // events of a command, not one for each: this is the hot path.
  virtual Result<void> append(std::span<const Event> events, const std::optional<RequestMark>& mark) = 0;
  // What was appended is there, together with what the projections wrote.
  virtual Result<void> settle() = 0;
  virtual void abandon() = 0;

  // --- reading, also what the running batch has appended
  virtual Result<std::optional<RecordedAnswer>> find_answer(const std::string& key) = 0;
  // The highest key that was ever recorded below this one; empty when there is none.
  virtual Result<std::string> highest_key(std::string_view below) = 0;
  virtual Result<std::optional<Event>> event(Seq seq) = 0;
  // Size of an event's body as text; 0 when there is none.
  virtual Result<std::size_t> body_bytes(Seq seq) = 0;
  // Looks at a bounded part of the journal: a page of one team may be empty and still not the last.
  virtual Result<JournalPage> follow(const JournalCursor& cursor) = 0;
  // Each record is handed over where it stands, in the order of their numbers.
  virtual Result<RunPage> follow_run(RunId run, const RunCursor& cursor,
                                     const std::function<void(const NumberedRecord&)>& take) = 0;
  virtual Result<std::int64_t> count() = 0;

  // --- removal of what belongs to a team or a run, inside a batch. Returns how many events there were.
  virtual Result<std::int64_t> remove(TeamId team) = 0;
  virtual Result<std::int64_t> remove(RunId run) = 0;
};

}  // namespace teamster::store
