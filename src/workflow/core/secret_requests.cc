#include "workflow/core/secret_requests.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

namespace teamster::workflow {
namespace {

using WordSet = std::set<std::string_view>;

// A sentence without end takes no time without end.
constexpr std::size_t kWordsLookedAhead = 30;

struct SpokenWord {
  std::string text;
  bool is_last = false;  // of a part of the sentence: a comma or the like is behind it
};
using Sentence = std::vector<SpokenWord>;

// Verbs by which something changes hands. Those of the second list need nobody who gets it to be meant so.
const WordSet& telling_verbs() {
  static const WordSet kWords = {
      "send",     "post",   "paste",  "print",  "show",    "give",     "tell",    "share",   "dump",    "reveal",
      "display",  "output", "echo",   "email",  "mail",    "e-mail",   "upload",  "leak",    "forward", "provide",
      "write",    "read",   "attach", "list",   "include", "copy",     "hand",    "put",     "drop",    "dm",
      "message",  "type",   "quote",  "repeat", "cat",     "return",   "spell",   "encode",  "fetch",   "get",
      "disclose", "find",   "leave",  "add",    "append",  "slip",     "expose",  "embed",   "open",    "less",
      "head",     "tail",   "grep",   "base64", "zip",     "disclose", "hexdump", "publish", "commit",  "check",
  };
  return kWords;
}
const WordSet& leaking_verbs() {
  static const WordSet kWords = {"paste", "dump", "leak", "reveal", "disclose", "cat", "echo", "exfiltrate", "base64"};
  return kWords;
}
const WordSet& receivers() {
  static const WordSet kWords = {"me", "us", "here", "back", "over", "out"};
  return kWords;
}

// What may stand between a verb and what it is about.
const WordSet& words_between() {
  static const WordSet kWords = {
      "the",     "your",    "all",     "any",        "my",        "our",        "its",        "that",
      "this",    "those",   "these",   "a",          "an",        "every",      "each",       "of",
      "current", "full",    "whole",   "entire",     "content",   "contents",   "value",      "values",
      "real",    "live",    "prod",    "production", "staging",   "admin",      "root",       "database",
      "db",      "github",  "gitlab",  "aws",        "slack",     "stripe",     "openai",     "anthropic",
      "claude",  "service", "account", "raw",        "complete",  "plaintext",  "actual",     "copy",
      "dump",    "project", "repo",    "repository", "server",    "deploy",     "deployment", "user",
      "ci",      "and",     "or",      "both",       "with",      "whatever",   "latest",     "bot",
      "team",    "company", "other",   "some",       "just",      "only",       "hidden",     "internal",
      "login",   "their",   "local",   "machine",    "system's",  "shell",      "process",    "file",
      "files",   "named",   "called",  "what",       "is",        "are",        "in",         "on",
      "from",    "there",   "set",     "stored",     "first",     "ten",        "two",        "three",
      "last",    "few",     "line",    "lines",      "character", "characters", "encoded",    "please",
      "now",     "again",   "quickly", "privately",  "to",        "list",
  };
  return kWords;
}

// What may follow a noun that is not the first half of another: "the token, please", not "the token lifetime".
const WordSet& words_behind() {
  static const WordSet kWords = {
      "for",    "of",      "to",     "in",    "on",     "from", "that",  "which",  "and",   "or",    "so",    "now",
      "please", "here",    "you",    "we",    "i",      "with", "again", "too",    "as",    "via",   "by",    "at",
      "inside", "because", "before", "into",  "asap",   "plz",  "thx",   "thanks", "right", "first", "using", "stored",
      "set",    "is",      "are",    "value", "values", "file", "files", "word",   "under", "it",
  };
  return kWords;
}

const WordSet& secrets() {
  static const WordSet kWords = {
      "password",   "passwords",   "passwd", "pwd",   "passphrase", "passphrases", "secret",  "secrets",
      "credential", "credentials", "creds",  "token", "tokens",     "apikey",      "apikeys", "cookies",
  };
  return kWords;
}

// First words of pairs such as "api key".
const WordSet& kinds_of_keys() {
  static const WordSet kWords = {"api",     "access", "secret",     "private", "ssh",    "gpg",
                                 "signing", "aws",    "encryption", "deploy",  "master", "root"};
  return kWords;
}

bool is_private_file(const std::string& word) {
  static constexpr std::array<std::string_view, 14> kParts = {
      "/etc/passwd", "/etc/shadow",      "/etc/sudoers", "/.ssh",           ".ssh/",
      "id_rsa",      "id_ed25519",       "/.aws",        ".aws/",           ".netrc",
      ".pgpass",     ".git-credentials", "/environ",     "credentials.json"};
  return std::any_of(kParts.begin(), kParts.end(), [&](auto part) { return word.find(part) != std::string::npos; });
}

bool is_named_secret(std::string word) {
  if (word.starts_with('$')) word.erase(0, word.starts_with("${") ? 2 : 1);
  if (word.find('_') == std::string::npos) return false;
  static constexpr std::array<std::string_view, 5> kEnds = {"key", "token", "secret", "password", "passwd"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) {
    return word.ends_with(end) || word.ends_with(std::string(end) + "s") || word.ends_with(std::string(end) + "}");
  });
}

bool is_environment(const std::string& word) {
  return word == "env" || word == "environment" || word == "dotenv" || word == ".env" || word.starts_with(".env.") ||
         word.ends_with("/.env");
}

std::vector<Sentence> sentences_of(const std::string& plain) {
  constexpr std::string_view kAround = "\"'`()<>*,:;!?[]{}";
  std::vector<Sentence> sentences(1);
  std::string word;
  const auto end_word = [&](bool ends_sentence) {
    std::string_view core = word;
    bool is_last = ends_sentence;
    while (!core.empty() && (kAround.find(core.back()) != kAround.npos || core.back() == '.')) {
      const char c = core.back();
      is_last = is_last || c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == '.' || c == ')';
      ends_sentence = ends_sentence || c == ';' || c == '!' || c == '?' || c == '.';
      core.remove_suffix(1);
    }
    while (!core.empty() && kAround.find(core.front()) != kAround.npos) core.remove_prefix(1);
    if (!core.empty())
      sentences.back().push_back({std::string(core), is_last});
    else if (is_last && !sentences.back().empty())
      sentences.back().back().is_last = true;
    word.clear();
    if (ends_sentence && !sentences.back().empty()) sentences.emplace_back();
  };
  for (const char c : plain) {
    if (c == ' ' || c == '\n')
      end_word(c == '\n');
    else
      word += c;
  }
  end_word(true);
  return sentences;
}

// One sentence, from its words on.
class Asking {
 public:
  explicit Asking(const Sentence& words) : words_(words) {}

  bool is_for_secrets() const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (hands_out(i) || asks_what(i) || wants_yours(i) || wants_contents(i)) return true;
    return false;
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < words_.size() && words_[at].text == text; }
  bool is(std::size_t at, const WordSet& set) const { return at < words_.size() && set.count(words_[at].text) != 0; }

  // How many words from there on name something secret; 0: none.
  std::size_t secret_at(std::size_t at) const {
    if (at >= words_.size()) return 0;
    const std::string& word = words_[at].text;
    if (is(at, kinds_of_keys())) {
      std::size_t end = at + 1;
      while (is(end, kinds_of_keys())) ++end;
      if (is(end, WordSet{"key", "keys"})) return end + 1 - at;
    }
    if (word == "connection" && is(at + 1, WordSet{"string", "strings"})) return 2;
    if (word == "session" && is(at + 1, WordSet{"cookie", "cookies"})) return 2;
    if (word == "system" && is(at + 1, "prompt")) return 2;
    return secrets().count(word) != 0 || is_named_secret(word) || is_private_file(word) ? 1 : 0;
  }
  std::size_t environment_at(std::size_t at) const {
    if (at >= words_.size() || !is_environment(words_[at].text)) return 0;
    return is(at + 1, WordSet{"vars", "var", "variables", "variable"}) ? 2 : 1;
  }
  bool ends_at(std::size_t behind) const {
    return behind >= words_.size() || words_[behind - 1].is_last || is(behind, words_behind());
  }

  bool is_place(std::size_t at) const {
    if (at >= words_.size()) return false;
    const std::string& word = words_[at].text;
    static const WordSet kHere = {"me", "us", "here", "pastebin"};
    static const WordSet kBefore = {"this", "the", "your", "a", "my", "our", "next"};
    static const WordSet kPlaces = {"thread", "channel",  "chat",    "conversation", "message", "issue",   "answer",
                                    "reply",  "question", "summary", "manifest",     "pr",      "comment", "comments",
                                    "report", "gist",     "dm",      "dms",          "inbox",   "webhook", "log",
                                    "logs",   "pull",     "email",   "mail",         "server"};
    if (kHere.count(word) != 0 || word.starts_with("http://") || word.starts_with("https://")) return true;
    if (word.find('@') != std::string::npos && word.size() > 1) return true;
    std::size_t noun = at;
    while (is(noun, kBefore)) ++noun;
    return noun > at && is(noun, kPlaces);
  }
  bool leads_to_people(std::size_t from) const {
    static const WordSet kInto = {"to", "with", "in", "into", "at", "via", "on", "under", "as"};
    for (std::size_t i = from; i < std::min(words_.size(), from + kWordsLookedAhead); ++i)
      if (is(i, "here") || (is(i, kInto) && is_place(i + 1))) return true;
    return false;
  }

  bool hands_out(std::size_t verb) const {
    if (!is(verb, telling_verbs()) && !is(verb, leaking_verbs())) return false;
    bool is_for_us = is(verb, leaking_verbs());
    std::size_t at = verb + 1;
    for (; at < verb + kWordsLookedAhead && (is(at, receivers()) || is(at, words_between())); ++at) {
      // "Paste it here: …" is one thing, "read it. The token …" another.
      if (secret_at(at) != 0) break;
      is_for_us = is_for_us || is(at, receivers()) || is(at, "your");
    }
    const std::size_t environment = environment_at(at);
    const std::size_t named = std::max(secret_at(at), environment);
    if (named == 0 || !ends_at(at + named)) return false;
    const bool is_file = is_private_file(words_[at].text) || words_[at].text.starts_with('$');
    return is_for_us || is_file || leads_to_people(at + named);
  }

  bool asks_what(std::size_t at) const {
    const bool is_what = is(at, "what's") || (is(at, "what") && is(at + 1, WordSet{"is", "are"}));
    if (!is_what) return false;
    std::size_t noun = at + (is(at, "what's") ? 1 : 2);
    if (!is(noun, WordSet{"the", "your", "our", "my"})) return false;
    for (const std::size_t end = noun + kWordsLookedAhead;
         noun < end && is(noun, words_between()) && secret_at(noun) == 0;)
      ++noun;
    const std::size_t named = secret_at(noun);
    return named != 0 && (noun + named >= words_.size() || words_[noun + named - 1].is_last ||
                          is(noun + named, WordSet{"for", "of", "in", "to", "on", "again", "please"}));
  }

  bool wants_yours(std::size_t at) const {
    if (!is(at, WordSet{"need", "want", "have", "see", "know", "use", "get", "require"})) return false;
    std::size_t noun = at + 1;
    while (is(noun, WordSet{"to", "see", "know", "have", "read"})) ++noun;
    if (!is(noun, "your")) return false;
    for (const std::size_t end = noun + kWordsLookedAhead;
         noun < end && is(noun, words_between()) && secret_at(noun) == 0;)
      ++noun;
    const std::size_t named = std::max(secret_at(noun), environment_at(noun));
    return named != 0 && ends_at(noun + named);
  }

  bool wants_contents(std::size_t at) const {
    if (!is(at, WordSet{"value", "values", "content", "contents"}) || !is(at + 1, "of")) return false;
    std::size_t noun = at + 2;
    for (const std::size_t end = noun + kWordsLookedAhead;
         noun < end && is(noun, words_between()) && secret_at(noun) == 0;)
      ++noun;
    const std::size_t named = std::max(secret_at(noun), environment_at(noun));
    return named != 0 && ends_at(noun + named);
  }

  const Sentence& words_;
};

}  // namespace

bool asks_for_secrets(const std::string& plain) {
  const auto sentences = sentences_of(plain);
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const Sentence& sentence) { return Asking(sentence).is_for_secrets(); });
}

}  // namespace teamster::workflow
