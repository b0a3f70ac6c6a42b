// Posting: a question or gate on its way to people, as every transport shows it: who asks whom what, what may be
// answered, and what follows from it. A value, made of the run's command that asks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workflow/core/commands.h"

namespace teamster::people {

struct Posting {
  std::string id;  // RUN/STEP.ATTEMPT
  std::string to;  // empty: the owner
  std::string text;
  std::vector<std::string> options = {};
  bool is_gate = false;
  std::map<std::string, std::string> outcomes = {};  // what follows from an option, where that is not plain
  std::string from = {};                             // the member that asks; empty: the workflow does
  std::string also = {};                             // is asked, too, since the deadline
  std::string attach = {};                           // path of a file that goes with it
  bool takes_words = false;                          // besides its options
  bool is_for_people = false;                        // the answer says who the people around the run are
};

Posting posting_of(const std::string& id, const workflow::command::Ask& asks);

// "build asks kim", without what is asked.
std::string heading_of(const Posting& posting);
// Each option with its number and what follows from it, one to a line.
std::vector<std::string> option_lines(const Posting& posting);
// What to type where one is asked, as a sentence.
std::string how_to_type(const Posting& posting);

}  // namespace teamster::people
