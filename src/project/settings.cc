#include "project/settings.h"

#include <fmt/format.h>

#include "base/text.h"
#include "env/files.h"
#include "yaml/document.h"

namespace teamster::engine {
namespace {

using SettingMap = std::map<std::string, Setting>;

void flatten(const workflow::Node& node, const std::string& name, const std::string& origin, SettingMap& settings) {
  const std::string place = fmt::format("{}:{}:{}", origin, node.place.line, node.place.column);
  if (node.kind == workflow::Node::Kind::map) {
    for (std::size_t i = 0; i < node.keys.size(); ++i)
      flatten(node.items[i], name.empty() ? node.keys[i].text : name + "." + node.keys[i].text, origin, settings);
  } else if (node.kind == workflow::Node::Kind::scalar) {
    settings[name] = {node.text, origin, place};
  } else {
    settings[name] = {"", origin, place, true};
  }
}

Result<void> add_file(env::Files& files, const std::string& path, SettingMap& settings) {
  constexpr std::size_t kMaxBytes = std::size_t{1024} * 1024;
  const auto status = TRY(files.status(path));
  if (!status) return {};
  const std::string text = TRY(files.read(path, kMaxBytes));
  workflow::Problems problems;
  const auto document = workflow::parse_document(path, text, problems);
  if (!document) return fail(Code::invalid, problems.sorted().front().text(), "Mend the file");
  flatten(document->root, "", path, settings);
  return {};
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_setting(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    return fail(Code::invalid, fmt::format("--set {} is not NAME=VALUE", quoted(given, 100)),
                "For example --set checks.test='make test'");
  return std::pair(given.substr(0, equals), given.substr(equals + 1));
}

Result<SettingMap> read_settings(env::Files& files, const Variable& variable, const std::string& project,
                                 std::span<const std::string> given) {
  SettingMap settings;
  const auto config = variable("XDG_CONFIG_HOME");
  const auto home = variable("HOME");
  if (config && !config->empty())
    TRY_VOID(add_file(files, *config + "/teamster/config.yaml", settings));
  else if (home && !home->empty())
    TRY_VOID(add_file(files, *home + "/.config/teamster/config.yaml", settings));
  TRY_VOID(add_file(files, project + "/.teamster/config.yaml", settings));
  for (const auto& each : given) {
    auto [name, value] = TRY(parse_setting(each));
    settings[name] = {std::move(value), "--set", "--set"};
  }
  return settings;
}

}  // namespace teamster::engine
