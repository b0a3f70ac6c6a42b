// JournalFold: the state of a run out of the pages of its journal, in the order in which the hub
// hands them out. It reads the text of the pages where it stands, and makes trees only of
// what is left at the end: a journal may have a million records. A value.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json_view.h"
#include "base/result.h"
#include "engine/snapshot.h"
#include "workflow/text_record.h"
#include "workflow/text_state.h"

namespace teamster::engine {

// A page of `run.events` of which only the head was read: enough to ask for the next one.
struct JournalPage {
  std::int64_t last = 0;  // number of its last record
  bool has_more = false;  // after it
  JsonCursor events;      // before the list, in the text of the page
};

// Code::internal when it is none.
Result<JournalPage> journal_page(std::string_view text);

class JournalFold {
 public:
  // From a state that was kept, or from the beginning.
  explicit JournalFold(const Snapshot& kept);

  Result<void> add(JournalPage page);
  // As of the last record.
  Result<Snapshot> take();

 private:
  Result<void> add_event(JsonCursor& cursor);

  std::int64_t n_ = 0;  // of the last page
  workflow::TextState state_;
  workflow::TextRecordReader reader_;
};

}  // namespace teamster::engine
