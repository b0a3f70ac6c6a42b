// Redaction: takes secrets out of what leaves the machine, or may: those that are known, as they are and in the
// encodings in which one is slipped out (base64, hex, percent signs, reversed), and what has the form of a credential.
// A value; made once from what is known, safe on any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace teamster {

class Redaction {
 public:
  // Nothing is known: only forms are looked for.
  Redaction() = default;
  // What is shorter than a secret can be is left out: taking it out of everything would harm more than it helps.
  explicit Redaction(const std::vector<std::string>& secrets);

  std::string text(std::string_view text) const;
  // All texts in it; keys stay.
  Json json(Json value) const;
  bool finds_any(std::string_view text) const { return this->text(text) != text; }

 private:
  std::vector<std::string> known_;  // the longest first
};

// Whether a variable or a setting of this name holds a secret: API_KEY, db_password.
bool names_secret(std::string_view name);

}  // namespace teamster
