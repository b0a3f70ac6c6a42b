// Dangerous requests: whether what a person wrote clearly asks for what no person in a chat may ask an agent for: to
// hand out secrets, to run a command, to drop the rules of the run, or to approve in somebody's place. Words about such
// things ("the token expires after a day") are none. No model reads along, so this is a list of forms, held to the
// messages in tests/untrusted; it comes on top of fences, redaction and exact approvals, which need no such judgement.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace teamster::workflow {

// Why it is one, to be told to who wrote it: "it asks for secrets"; empty: it is none.
std::string danger_in(std::string_view text);

}  // namespace teamster::workflow
