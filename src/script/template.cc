#include "script/template.h"

#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

namespace teamster::script {
namespace {

constexpr std::size_t kNameMaxBytes = 200;

const Json* step_into(const Json& value, std::string_view key) {
  if (value.is_object()) {
    const auto it = value.find(key);
    return it == value.end() ? nullptr : &*it;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (!value.is_array() || error != std::errc{} || end != key.data() + key.size() || index >= value.size())
    return nullptr;
  return &value[index];
}

// "claim.metadata.0"
const Json* find_saved(std::string_view name, const std::map<std::string, Json>& saved) {
  const auto first = saved.find(std::string(name.substr(0, name.find('.'))));
  const Json* value = first == saved.end() ? nullptr : &first->second;
  while (value != nullptr && name.find('.') != name.npos) {
    name.remove_prefix(name.find('.') + 1);
    value = step_into(*value, name.substr(0, name.find('.')));
  }
  return value;
}

std::optional<std::string> find_text(std::string_view name, const Words& words) {
  if (const auto it = words.texts.find(name); it != words.texts.end()) return it->second;
  const Json* value = find_saved(name, words.saved);
  if (value == nullptr) return std::nullopt;
  return value->is_string() ? value->get<std::string>() : dump_json(*value);
}

}  // namespace

std::string fill(std::string_view text, const Words& words) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("{{");
    if (open == text.npos) return out.append(text);
    out.append(text.substr(0, open));
    const std::string_view name = text.substr(open + 2, kNameMaxBytes);
    const std::size_t length = name.find("}}");
    const auto found = length == name.npos ? std::nullopt : find_text(name.substr(0, length), words);
    if (found) {
      out += *found;
      text.remove_prefix(open + 2 + length + 2);
    } else {
      out += "{{";
      text.remove_prefix(open + 2);
    }
  }
}

Json fill_json(const Json& value, const Words& words) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with("{{") && text.ends_with("}}") && text.size() > 4)
      if (const Json* saved = find_saved(std::string_view(text).substr(2, text.size() - 4), words.saved)) return *saved;
    return fill(text, words);
  }
  if (!value.is_structured()) return value;
  Json out = value;
  for (auto& element : out) element = fill_json(element, words);
  return out;
}

}  // namespace teamster::script
