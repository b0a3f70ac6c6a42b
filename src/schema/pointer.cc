#include "schema/pointer.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace teamster::schema {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    const bool is_encoded =
        text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    out += is_encoded ? static_cast<char>(value) : text[at];
    if (is_encoded) at += 2;
  }
  return out;
}

const Json* element(const Json& list, const std::string& token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc{} && end == token.data() + token.size();
  return is_index && index < list.size() ? &list[index] : nullptr;
}

const Json* step(const Json& node, const std::string& token) {
  if (node.is_array()) return element(node, token);
  if (!node.is_object()) return nullptr;
  const auto it = node.find(token);
  return it == node.end() ? nullptr : &*it;
}

}  // namespace

std::string escaped_token(std::string_view name) {
  std::string token(name);
  replace_all(token, "~", "~0");
  replace_all(token, "/", "~1");
  return token;
}

const Json* find_by_pointer(const Json& document, std::string_view pointer) {
  const Json* node = &document;
  while (!pointer.empty() && node != nullptr) {
    if (pointer[0] != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string token = percent_decoded(pointer.substr(0, end));
    replace_all(token, "~1", "/");
    replace_all(token, "~0", "~");
    node = step(*node, token);
    pointer.remove_prefix(end);
  }
  return node;
}

}  // namespace teamster::schema
