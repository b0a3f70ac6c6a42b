#include "workflow/core/speech_of_others.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "workflow/format/template.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kMarkLength = 8;
constexpr std::size_t kLineMaxBytes = 200;

// A mark that the words do not hold: the beginning of their digest, as long as it has to be.
std::string mark_of(std::string_view words) {
  const std::string digest = to_hex(sha256(words));
  for (std::size_t length = kMarkLength; length < digest.size(); ++length)
    if (words.find(digest.substr(0, length)) == std::string_view::npos) return digest.substr(0, length);
  return digest;
}

// A name stands inside the fence's brackets, and is not always ours: it must not close them.
std::string name_of(std::string_view whose) {
  std::string name(beginning_of(whose, kLineMaxBytes));
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '[' || c == ']') c = ' ';
  return name;
}

bool is_short_line(const std::string& text) {
  return text.size() <= kLineMaxBytes && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

}  // namespace

std::string fenced(std::string_view whose, std::string_view words) {
  const std::string mark = mark_of(words);
  return fmt::format("[{0} begins: words of {1}]\n{2}\n[{0} ends]", mark, name_of(whose), words);
}

std::string said(std::string_view whose, const Json& value) {
  if (value.is_number() || value.is_boolean() || value.is_null()) return words_of(value);
  if (value.is_string() && is_short_line(value.get_ref<const std::string&>()))
    return fmt::format("{} [{}]", dump_json(value), name_of(whose));
  return fenced(whose, words_of(value));
}

}  // namespace teamster::workflow
