#include "base/redaction.h"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

namespace teamster {
namespace {

constexpr std::string_view kInstead = "[redacted]";
constexpr std::size_t kSecretMinBytes = 8;

bool is_of_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '/' || c == '+' || c == '=' || c == '~';
}

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string coded;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8U | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0U);
    const std::size_t digits = std::min<std::size_t>(text.size() - i, 3) + 1;
    for (std::size_t j = 0; j < digits; ++j) coded += kDigits[bits >> (18U - 6U * j) & 63U];
  }
  return coded;
}

// What is the same in the base64 of a text wherever in a larger one it stands.
std::string base64_inside(std::string_view text, std::size_t shift) {
  std::string coded = base64(std::string(shift, '\0').append(text));
  const std::size_t from = shift == 0 ? 0 : shift + 1;
  coded.erase(0, from);
  if ((shift + text.size()) % 3 != 0) coded.pop_back();
  return coded;
}

std::string hexadecimal(std::string_view text, const char* digits, std::string_view before) {
  std::string coded;
  for (const char c : text) {
    coded += before;
    coded += digits[static_cast<unsigned char>(c) >> 4U];
    coded += digits[static_cast<unsigned char>(c) & 15U];
  }
  return coded;
}

// As a query of an address has it: what is no letter or digit with a percent sign.
std::string in_address(std::string_view text) {
  std::string coded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || c == '.' || c == '~';
    if (is_plain)
      coded += c;
    else
      coded += hexadecimal({&c, 1}, "0123456789ABCDEF", "%");
  }
  return coded;
}

// Credentials by how they begin, and how long they are at least.
struct TokenForm {
  std::string_view begin;
  std::size_t bytes;
};
constexpr std::array kTokenForms{
    TokenForm{"sk-ant-", 20},  TokenForm{"sk-proj-", 20},   TokenForm{"sk_live_", 20},    TokenForm{"sk_test_", 20},
    TokenForm{"rk_live_", 20}, TokenForm{"ghp_", 30},       TokenForm{"gho_", 30},        TokenForm{"ghu_", 30},
    TokenForm{"ghs_", 30},     TokenForm{"ghr_", 30},       TokenForm{"github_pat_", 30}, TokenForm{"glpat-", 20},
    TokenForm{"xoxb-", 20},    TokenForm{"xoxp-", 20},      TokenForm{"xoxa-", 20},       TokenForm{"xapp-", 20},
    TokenForm{"AKIA", 20},     TokenForm{"ASIA", 20},       TokenForm{"AIza", 35},        TokenForm{"npm_", 30},
    TokenForm{"hf_", 30},      TokenForm{"eyJhbGciOi", 40},
};

void replace_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + kInstead.size()))
    text.replace(at, what.size(), kInstead);
}

void replace_tokens(std::string& text) {
  for (const auto& form : kTokenForms) {
    for (std::size_t at = text.find(form.begin); at != std::string::npos;) {
      std::size_t end = at;
      while (end < text.size() && is_of_token(text[end])) ++end;
      const bool begins = at == 0 || !is_of_token(text[at - 1]) || text[at - 1] == '=' || text[at - 1] == '/';
      const bool is_one = begins && end - at >= form.bytes;
      if (is_one) text.replace(at, end - at, kInstead);
      at = text.find(form.begin, is_one ? at + kInstead.size() : end);
    }
  }
}

void replace_private_keys(std::string& text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kKey = "PRIVATE KEY-----";
  for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const std::size_t title_end = text.find("-----", at + kBegin.size());
    if (title_end == std::string::npos) return;
    if (text.substr(at, title_end + 5 - at).find(kKey) == std::string::npos) continue;
    const std::size_t last = text.find("-----END ", title_end);
    const std::size_t close = last == std::string::npos ? last : text.find("-----", last + 9);
    text.replace(at, (close == std::string::npos ? text.size() : close + 5) - at, kInstead);
  }
}

}  // namespace

Redaction::Redaction(const std::vector<std::string>& secrets) {
  std::set<std::string> known;
  for (const auto& secret : secrets) {
    if (secret.size() < kSecretMinBytes) continue;
    known.insert(secret);
    known.insert(std::string(secret.rbegin(), secret.rend()));
    known.insert(hexadecimal(secret, "0123456789abcdef", ""));
    known.insert(hexadecimal(secret, "0123456789ABCDEF", ""));
    known.insert(in_address(secret));
    for (std::size_t shift = 0; shift < 3; ++shift)
      if (std::string coded = base64_inside(secret, shift); coded.size() >= kSecretMinBytes)
        known.insert(std::move(coded));
  }
  known_.assign(known.begin(), known.end());
  std::stable_sort(known_.begin(), known_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string Redaction::text(std::string_view given) const {
  std::string text(given);
  for (const auto& secret : known_) replace_all(text, secret);
  replace_private_keys(text);
  replace_tokens(text);
  return text;
}

Json Redaction::json(Json value) const {
  if (value.is_string()) return text(value.get_ref<const std::string&>());
  if (value.is_array() || value.is_object())
    for (auto& inner : value) inner = json(std::move(inner));
  return value;
}

bool names_secret(std::string_view name) {
  std::string small(name);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  static constexpr std::array<std::string_view, 9> kParts = {
      "secret", "token", "password", "passwd", "passphrase", "credential", "private_key", "api_key", "apikey"};
  if (small.ends_with("_key") || small.ends_with("_pass")) return true;
  return std::any_of(kParts.begin(), kParts.end(), [&](auto part) { return small.find(part) != std::string::npos; });
}

}  // namespace teamster
