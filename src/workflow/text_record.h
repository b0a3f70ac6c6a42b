// TextRecord: a record of a journal read where it stands: its fields by name, and what is in them as
// text. What a RunRecord is to who decides, this is to who only folds a long journal: nothing
// is copied but short names. Views of a text that somebody else owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_view.h"
#include "base/result.h"
#include "base/time.h"
#include "workflow/run_record.h"

namespace teamster::workflow {

struct TextField {
  std::string_view name;
  JsonView value;
};

// Some fields of a list that others share.
struct TextBody {
  const std::vector<TextField>* fields = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;
  std::string_view text = {};  // of the whole object
};

struct TextEvent {
  std::string_view kind;
  std::string step;
  std::int64_t attempt = 0;
  TextBody body;
};

struct TextCommand {
  std::string_view kind;
  std::string step;
  std::int64_t attempt = 0;
  TextBody body;  // with `do`, `step` and `attempt`
  WallTime at;    // when it was decided

  std::string id() const { return effect_id(step.empty() ? kind : std::string_view(step), attempt); }
};

struct TextRecord {
  TextEvent event;
  std::vector<TextCommand> commands;
};

// Reads one after the other, into the same memory.
class TextRecordReader {
 public:
  // Past the body that comes next. What it returns is good until the next one is read; its event has no kind yet,
  // which stands behind the body. Code::invalid where read_record says so.
  Result<TextRecord*> read(JsonCursor& cursor);

 private:
  Result<void> read_command(JsonCursor& cursor);

  std::vector<TextField> of_event_;
  std::vector<TextField> of_commands_;
  TextRecord record_;
};

}  // namespace teamster::workflow
