// HandedIn: the files that an answer names, looked at before the answer counts: whether they are there, hold no secret,
// lie where they should, and begin with the header that they need. Borrows what it looks with; reads, and changes
// nothing.
#pragma once

#include <string>

#include "base/json.h"
#include "base/redaction.h"
#include "project/project.h"
#include "workflow/core/commands.h"
#include "workflow/format/bundle.h"

namespace teamster::engine {

struct HandedIn {
  Project project;
  const workflow::Bundle& bundle;  // has the schemas of headers
  const Redaction& redaction;      // secrets that no file may hold that goes to people
};

// In words for whoever handed them in. Empty: nothing is wrong.
std::string wrong_with_files(const HandedIn& handed_in, const workflow::command::Turn& turn, const Json& answer);

}  // namespace teamster::engine
