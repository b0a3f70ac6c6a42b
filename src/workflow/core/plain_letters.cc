#include "workflow/core/plain_letters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace teamster::workflow {
namespace {

constexpr char32_t kTagsBegin = 0xE0020;
constexpr char32_t kTagsEnd = 0xE007E;
constexpr char32_t kFullWidthBegin = 0xFF01;
constexpr char32_t kFullWidthEnd = 0xFF5E;
constexpr int kGapLettersMin = 4;  // so many letters that stand apart are a word; fewer may be a list

bool is_tag(char32_t c) { return c >= kTagsBegin && c <= kTagsEnd; }

bool turns_direction(char32_t c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }

bool is_invisible(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
         c == 0x00AD || c == 0x034F || c == 0x061C || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 ||
         c == 0x180E || c == 0x3164 || c == 0xFFA0 || turns_direction(c) || (c >= 0x0300 && c <= 0x036F) ||
         (c >= 0xE0000 && c <= 0xE01EF);
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

struct Alike {
  std::u32string_view others;
  char latin;
};

// Letters that are drawn like Latin ones, Cyrillic and Greek for the most part, and those with accents.
constexpr std::array kAlike{
    Alike{U"аαàáâãäåāăąɑΑАÀÁÂÃÄÅ", 'a'},
    Alike{U"ЬвВΒƄ", 'b'},
    Alike{U"сϲçćčСϹÇ", 'c'},
    Alike{U"ԁďđɗ", 'd'},
    Alike{U"еёēėęěèéêëεΕЕЁÈÉÊË", 'e'},
    Alike{U"ƒϝ", 'f'},
    Alike{U"ɡցğģ", 'g'},
    Alike{U"һНΗհħ", 'h'},
    Alike{U"іїìíîïīįıιΙІЇÌÍÎÏ", 'i'},
    Alike{U"јЈϳ", 'j'},
    Alike{U"кκΚКķ", 'k'},
    Alike{U"ӏⅼłļľΙ", 'l'},
    Alike{U"мМΜ", 'm'},
    Alike{U"пñńņňηΝÑ", 'n'},
    Alike{U"оοòóôõöøōőΟОÒÓÔÕÖØσ", 'o'},
    Alike{U"рρΡР", 'p'},
    Alike{U"ԛ", 'q'},
    Alike{U"гŕřѓ", 'r'},
    Alike{U"ѕЅśşšș", 's'},
    Alike{U"тτΤТţťț", 't'},
    Alike{U"υùúûüūůűųÙÚÛÜս", 'u'},
    Alike{U"νѵ", 'v'},
    Alike{U"ѡԝω", 'w'},
    Alike{U"хχΧХ", 'x'},
    Alike{U"уүýÿγΥУ", 'y'},
    Alike{U"źżžΖ", 'z'},
};

// 0: it is none.
char latin_like(char32_t c) {
  if (c >= kFullWidthBegin && c <= kFullWidthEnd) return static_cast<char>(c - kFullWidthBegin + '!');
  for (const auto& alike : kAlike)
    if (alike.others.find(c) != std::u32string_view::npos) return alike.latin;
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x02BC:
      return '\'';
    case 0x201C:
    case 0x201D:
      return '"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212:
      return '-';
    default:
      return 0;
  }
}

// Mathematical letters, which fonts call bold or script: six alphabets and more of 52 letters each.
char mathematical(char32_t c) {
  constexpr char32_t kBegin = 0x1D400;
  constexpr char32_t kEnd = 0x1D6A3;
  if (c < kBegin || c > kEnd) return 0;
  return static_cast<char>('a' + (c - kBegin) % 52 % 26);
}

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::string plain_letters(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_character(text, at);
    if (is_space(c)) {
      // The end of a line is the end of a sentence to those who read.
      const bool is_line = c == '\n' || c == 0x2028 || c == 0x2029 || c == 0x85;
      if (is_line && !plain.empty() && plain.back() == ' ') plain.pop_back();
      if (is_line && !plain.empty() && plain.back() != '\n') plain += '\n';
      if (!is_line && !plain.empty() && plain.back() != ' ' && plain.back() != '\n') plain += ' ';
      continue;
    }
    if (is_invisible(c)) continue;
    if (c < 0x80)
      plain += small_letter(static_cast<char>(c));
    else if (const char latin = latin_like(c); latin != 0)
      plain += small_letter(latin);
    else if (const char letter = mathematical(c); letter != 0)
      plain += letter;
    else
      plain += text.substr(begin, at - begin);
  }
  return plain;
}

std::string without_leet(std::string_view plain) {
  constexpr std::array<std::pair<char, char>, 8> kLeet{
      {{'0', 'o'}, {'1', 'i'}, {'3', 'e'}, {'4', 'a'}, {'5', 's'}, {'7', 't'}, {'$', 's'}, {'@', 'a'}}};
  std::string read(plain);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool in_word = (i > 0 && is_letter(read[i - 1])) || (i + 1 < read.size() && is_letter(read[i + 1]));
    const auto leet = std::find_if(kLeet.begin(), kLeet.end(), [&](const auto& pair) { return pair.first == read[i]; });
    if (in_word && leet != kLeet.end()) read[i] = leet->second;
  }
  return read;
}

std::string without_gaps(std::string_view plain) {
  const auto stands_alone = [&](std::size_t i) {
    const auto is_gap = [&](std::size_t j) {
      return plain[j] == ' ' || plain[j] == '.' || plain[j] == '-' || plain[j] == '_' || plain[j] == '*';
    };
    return is_letter(plain[i]) && (i == 0 || is_gap(i - 1) || plain[i - 1] == '\n') &&
           (i + 1 == plain.size() || is_gap(i + 1) || plain[i + 1] == '\n');
  };
  std::string read;
  for (std::size_t i = 0; i < plain.size();) {
    std::string word;
    std::size_t end = i;
    while (end < plain.size() && stands_alone(end)) {
      word += plain[end];
      end += 2;
    }
    if (word.size() >= kGapLettersMin) {
      read += word + " ";
      i = std::min(end, plain.size());
    } else {
      read += plain[i++];
    }
  }
  return read;
}

bool hides_words(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (const char32_t c = next_character(text, at); c == 0x202D || c == 0x202E) return true;
  return !hidden_words(text).empty();
}

std::string hidden_words(std::string_view text) {
  std::string words;
  bool is_flag = false;  // some flags are spelled with tags behind a black one
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    constexpr char32_t kBlackFlag = 0x1F3F4;
    if (c == kBlackFlag)
      is_flag = true;
    else if (!is_tag(c))
      is_flag = false;
    else if (!is_flag)
      words += small_letter(static_cast<char>(c - kTagsBegin + ' '));
  }
  return words;
}

}  // namespace teamster::workflow
