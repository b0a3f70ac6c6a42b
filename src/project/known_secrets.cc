#include "project/known_secrets.h"

#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/redaction.h"
#include "base/text.h"
#include "env/files.h"
#include "env/processes.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kSecretFileMaxBytes = 64 * 1024;
constexpr std::size_t kSecretsMax = 1000;

constexpr std::array<const char*, 4> kOfProject = {".env", ".env.local", ".env.production", ".env.development"};
constexpr std::array<const char*, 10> kOfUser = {".aws/credentials",     ".netrc",
                                                 ".git-credentials",     ".npmrc",
                                                 ".config/gh/hosts.yml", ".pypirc",
                                                 ".docker/config.json",  ".claude/.credentials.json",
                                                 ".codex/auth.json",     ".config/teamster/secrets"};

// A path or a number is no secret, whatever it is called.
bool can_be_secret(std::string_view value) {
  return !value.empty() && !value.starts_with('/') && !value.starts_with("~/") &&
         value.find_first_not_of("0123456789") != value.npos;
}

std::string unquoted(std::string_view value) {
  value = trimmed(value);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return std::string(value);
}

void add_from_json(const Json& value, bool is_named, std::vector<std::string>& found) {
  if (value.is_string() && is_named && can_be_secret(value.get<std::string>()))
    found.push_back(value.get<std::string>());
  if (value.is_array())
    for (const auto& inner : value) add_from_json(inner, is_named, found);
  if (value.is_object())
    for (const auto& [name, inner] : value.items())
      add_from_json(inner, names_secret(name) || name == "auth" || name == "key", found);
}

// NAME=value, NAME: value, "password value" of .netrc.
void add_from_line(std::string_view line, std::vector<std::string>& found) {
  line = trimmed(line);
  if (line.starts_with('#')) return;
  if (line.starts_with("export ")) line.remove_prefix(7);
  const std::size_t sign = line.find_first_of("=:");
  if (sign != line.npos && names_secret(trimmed(line.substr(0, sign)))) {
    if (std::string value = unquoted(line.substr(sign + 1)); can_be_secret(value)) found.push_back(std::move(value));
    return;
  }
  constexpr std::string_view kPassword = "password ";
  if (const std::size_t at = line.find(kPassword); at != line.npos) {
    const std::string_view rest = line.substr(at + kPassword.size());
    found.emplace_back(rest.substr(0, rest.find(' ')));
  }
  // https://user:secret@host
  const std::size_t scheme = line.find("://");
  const std::size_t host = scheme == line.npos ? line.npos : line.find('@', scheme);
  const std::size_t colon = host == line.npos ? line.npos : line.find(':', scheme + 3);
  if (colon < host) found.emplace_back(line.substr(colon + 1, host - colon - 1));
}

}  // namespace

std::vector<std::string> secrets_in(const std::string& text) {
  std::vector<std::string> found;
  if (const auto json = parse_json(text); json && (json->is_object() || json->is_array())) {
    add_from_json(*json, false, found);
    return found;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    add_from_line(std::string_view(text).substr(begin, end - begin), found);
    begin = end + 1;
  }
  return found;
}

std::vector<std::string> known_secrets(const env::World& world, const std::string& project) {
  std::vector<std::string> found;
  for (const auto& entry : world.processes.environment()) {
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos || !names_secret(std::string_view(entry).substr(0, equals))) continue;
    if (std::string value = entry.substr(equals + 1); can_be_secret(value)) found.push_back(std::move(value));
  }
  const auto add_file = [&](const std::string& path) {
    const auto text = world.files.read(path, kSecretFileMaxBytes);
    if (!text) return;
    for (auto& secret : secrets_in(*text))
      if (found.size() < kSecretsMax) found.push_back(std::move(secret));
  };
  for (const char* name : kOfProject) add_file(project + "/" + name);
  if (const auto home = world.processes.variable("HOME"))
    for (const char* name : kOfUser) add_file(*home + "/" + name);
  return found;
}

}  // namespace teamster::engine
