// Secret requests: whether a sentence asks whoever reads it to hand out something that is nobody's to know: "send me
// the API key", "paste .env here". What the words are about decides, not that they are there: "show an error when the
// password is wrong" is about an error. Pure.
#pragma once

#include <string>

namespace teamster::workflow {

// Of plain letters.
bool asks_for_secrets(const std::string& plain);

}  // namespace teamster::workflow
