// Speech: what somebody in a team said, as text for a model. The words stay their sender's:
// they stand in an element that names it, which nothing in them can end or imitate, behind a
// sentence that says so. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace teamster {

struct Speech {
  std::int64_t id = 0;
  std::string from;
  std::string kind;
  std::string sent;  // ISO 8601
  std::string body;
  std::string summary = {};   // shown when not empty
  std::string priority = {};  // shown when neither empty nor "normal"
  bool is_of_user = false;    // the operator's own words, and no colleague's
};

// <message id="17" from="builder" kind="message" sent="…">, the body, </message>.
std::string speech_element(const Speech& speech);

// The elements, one after another, with a sentence before those of members and before those of the user.
std::string render_speech(std::span<const Speech> speeches);
std::string render_speech(const Speech& speech);

}  // namespace teamster
