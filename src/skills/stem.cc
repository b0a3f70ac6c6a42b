#include "skills/stem.h"

#include <algorithm>
#include <array>
#include <set>

namespace teamster::skills {
namespace {

bool is_consonant(std::string_view word, std::size_t at) {
  switch (word[at]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return false;
    case 'y':
      return at == 0 || !is_consonant(word, at - 1);
    default:
      return true;
  }
}

bool has_vowel(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i)
    if (!is_consonant(word, i)) return true;
  return false;
}

// How often vowels are followed by consonants: about the number of syllables.
int measure(std::string_view word) {
  int count = 0;
  bool was_vowel = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool is_vowel = !is_consonant(word, i);
    if (was_vowel && !is_vowel) ++count;
    was_vowel = is_vowel;
  }
  return count;
}

// As in "hop" or "fil": after it an e was dropped.
bool ends_short(std::string_view word) {
  const std::size_t n = word.size();
  if (n < 3 || !is_consonant(word, n - 3) || is_consonant(word, n - 2) || !is_consonant(word, n - 1)) return false;
  return word[n - 1] != 'w' && word[n - 1] != 'x' && word[n - 1] != 'y';
}

std::string_view before(std::string_view word, std::string_view ending) {
  return word.substr(0, word.size() - ending.size());
}

struct Replacement {
  std::string_view ending;
  std::string_view by;
};

// The first ending that the word has is replaced when what is before it is long enough.
template <std::size_t n>
void replace_ending(std::string& word, const std::array<Replacement, n>& list, int longer_than) {
  for (const auto& [ending, by] : list) {
    if (!word.ends_with(ending)) continue;
    if (measure(before(word, ending)) > longer_than) word.replace(word.size() - ending.size(), ending.size(), by);
    return;
  }
}

void drop_plural(std::string& word) {
  if (word.ends_with("sses") || word.ends_with("ies"))
    word.resize(word.size() - 2);
  else if (word.ends_with('s') && !word.ends_with("ss"))
    word.pop_back();
}

void drop_past_and_progress(std::string& word) {
  if (word.ends_with("eed")) {
    if (measure(before(word, "eed")) > 0) word.pop_back();
    return;
  }
  const std::string_view ending = word.ends_with("ed") ? "ed" : word.ends_with("ing") ? "ing" : "";
  if (ending.empty() || !has_vowel(before(word, ending))) return;
  word.resize(word.size() - ending.size());
  const bool is_doubled =
      word.size() >= 2 && word.back() == word[word.size() - 2] && is_consonant(word, word.size() - 1);
  if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz"))
    word += 'e';
  else if (is_doubled && word.back() != 'l' && word.back() != 's' && word.back() != 'z')
    word.pop_back();
  else if (measure(word) == 1 && ends_short(word))
    word += 'e';
}

constexpr std::array<Replacement, 21> kDoubleEndings = {
    {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
     {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
     {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
     {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
     {"logi", "log"}}};
constexpr std::array<Replacement, 7> kLongEndings = {
    {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}};
constexpr std::array<Replacement, 20> kLastEndings = {
    {{"al", ""},  {"ance", ""},  {"ence", ""}, {"er", ""},  {"ic", ""},    {"able", ""},  {"ible", ""},
     {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""}, {"sion", "s"}, {"tion", "t"}, {"ou", ""},
     {"ism", ""}, {"ate", ""},   {"iti", ""},  {"ous", ""}, {"ive", ""},   {"ize", ""}}};

void tidy_end(std::string& word) {
  if (word.ends_with('e')) {
    const std::string_view rest = before(word, "e");
    const int count = measure(rest);
    if (count > 1 || (count == 1 && !ends_short(rest))) word.pop_back();
  }
  if (word.ends_with("ll") && measure(word) > 1) word.pop_back();
}

bool stands_in_any_text(const std::string& word) {
  static const std::set<std::string, std::less<>> kWords = {
      "about", "above",   "after",    "again",    "against",   "all",      "also",  "am",      "an",      "and",
      "any",   "anybody", "anything", "are",      "as",        "at",       "be",    "because", "been",    "before",
      "being", "below",   "between",  "both",     "but",       "by",       "can",   "cannot",  "could",   "did",
      "do",    "does",    "doing",    "done",     "down",      "during",   "each",  "either",  "else",    "ever",
      "every", "few",     "for",      "from",     "further",   "get",      "gets",  "got",     "had",     "has",
      "have",  "having",  "he",       "her",      "here",      "hers",     "him",   "his",     "how",     "if",
      "in",    "into",    "is",       "it",       "its",       "itself",   "just",  "let",     "like",    "made",
      "make",  "makes",   "making",   "many",     "may",       "me",       "might", "mine",    "more",    "most",
      "much",  "must",    "my",       "myself",   "near",      "need",     "needs", "neither", "never",   "next",
      "no",    "nobody",  "none",     "nor",      "not",       "nothing",  "now",   "of",      "off",     "on",
      "once",  "one",     "only",     "or",       "other",     "others",   "ought", "our",     "ours",    "out",
      "over",  "own",     "per",      "please",   "same",      "say",      "see",   "shall",   "she",     "should",
      "since", "so",      "some",     "somebody", "something", "such",     "take",  "takes",   "tell",    "than",
      "that",  "the",     "their",    "theirs",   "them",      "then",     "there", "these",   "they",    "this",
      "those", "through", "thus",     "to",       "too",       "two",      "under", "until",   "up",      "upon",
      "us",    "use",     "used",     "useful",   "uses",      "using",    "very",  "want",    "wants",   "was",
      "way",   "we",      "well",     "were",     "what",      "whatever", "when",  "where",   "whether", "which",
      "while", "who",     "whom",     "whose",    "why",       "will",     "with",  "within",  "without", "would",
      "yes",   "yet",     "you",      "your",     "yours"};
  return kWords.contains(word);
}

bool is_word_byte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

}  // namespace

std::string stem_of(std::string word) {
  if (word.size() <= 2) return word;
  drop_plural(word);
  drop_past_and_progress(word);
  if (word.ends_with('y') && has_vowel(before(word, "y"))) word.back() = 'i';
  replace_ending(word, kDoubleEndings, 0);
  replace_ending(word, kLongEndings, 0);
  replace_ending(word, kLastEndings, 1);
  tidy_end(word);
  return word;
}

std::vector<std::string> stems_in(std::string_view text) {
  std::vector<std::string> stems;
  std::string word;
  const auto finish = [&] {
    if (word.size() > 1 && !stands_in_any_text(word)) stems.push_back(stem_of(word));
    word.clear();
  };
  for (const char c : text) {
    if (!is_word_byte(static_cast<unsigned char>(c)))
      finish();
    else
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  finish();
  return stems;
}

}  // namespace teamster::skills
