#include "script/flags.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "script/rehearsal_place.h"

namespace teamster::script {
namespace {

enum class Takes { nothing, value, values };

struct Flag {
  std::string_view name;
  Takes takes;
};

// Some change nothing here: a script decides what they would decide.
constexpr auto kFlags = std::to_array<Flag>({
    {"-p", Takes::nothing},
    {"--print", Takes::nothing},
    {"--verbose", Takes::nothing},
    {"--version", Takes::nothing},
    {"--strict-mcp-config", Takes::nothing},
    {"--replay-user-messages", Takes::nothing},
    {"--include-partial-messages", Takes::nothing},
    {"--input-format", Takes::value},
    {"--output-format", Takes::value},
    {"--session-id", Takes::value},
    {"--resume", Takes::value},
    {"--model", Takes::value},
    {"--effort", Takes::value},
    {"--permission-prompt-tool", Takes::value},
    {"--permission-mode", Takes::value},
    {"--json-schema", Takes::value},
    {"--append-system-prompt", Takes::value},
    {"--system-prompt", Takes::value},
    {"--settings", Takes::value},
    {"--setting-sources", Takes::value},
    {"--tools", Takes::values},
    {"--mcp-config", Takes::values},
    {"--allowedTools", Takes::values},
    {"--disallowedTools", Takes::values},
    {"--add-dir", Takes::values},
    {"--script", Takes::value},
    {"--place", Takes::value},
    {"--check", Takes::value},
});

using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

const Flag* find_flag(std::string_view word) {
  const auto it = std::find_if(kFlags.begin(), kFlags.end(), [&](const Flag& flag) { return flag.name == word; });
  return it == kFlags.end() ? nullptr : &*it;
}

Result<Given> read_words(std::span<const std::string> words) {
  Given given;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const Flag* flag = find_flag(word.substr(0, equals));
    if (flag == nullptr && word.starts_with("-"))
      return fail(Code::failed, fmt::format("error: unknown option '{}'", word.substr(0, equals)));
    if (flag == nullptr)
      return fail(Code::failed,
                  fmt::format("error: a scripted agent takes its prompts from its input, not {}", quoted(word, 80)));
    auto& values = given[std::string(flag->name)];
    if (flag->takes == Takes::nothing) continue;
    if (equals != word.npos) {
      values.emplace_back(word.substr(equals + 1));
      continue;
    }
    if (at + 1 == words.size())
      return fail(Code::failed, fmt::format("error: option '{}' argument missing", flag->name));
    values.push_back(words[++at]);
    while (flag->takes == Takes::values && at + 1 < words.size() && !words[at + 1].starts_with("-"))
      values.push_back(words[++at]);
  }
  return given;
}

std::optional<std::string> last(const Given& given, std::string_view name) {
  const auto it = given.find(name);
  return it == given.end() || it->second.empty() ? std::nullopt : std::optional(it->second.back());
}

// The end of the name that begins there. A rule like Bash(git *) is one name.
std::size_t end_of_name(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (depth <= 0 && (text[at] == ',' || text[at] == ' ')) break;
  }
  return at;
}

// "Bash,Read" and "Bash Read".
std::vector<std::string> names_in(const Given& given, std::string_view flag) {
  std::vector<std::string> names;
  const auto it = given.find(flag);
  if (it == given.end()) return names;
  for (const std::string& value : it->second) {
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = end_of_name(value, at);
      if (end > at) names.push_back(value.substr(at, end - at));
      at = end + 1;
    }
  }
  return names;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

Result<std::optional<std::string>> session_id(const Given& given, std::string_view flag) {
  auto id = last(given, flag);
  if (id && !is_uuid(*id)) return fail(Code::failed, "Error: Invalid session ID. Must be a valid UUID.");
  return id;
}

tl::unexpected<Error> bad_mcp(std::string_view why) {
  return fail(Code::failed, fmt::format("Error: Invalid MCP configuration:\n{}", why));
}

Result<McpServer> mcp_server(const std::string& name, const Json& entry) {
  const auto command = optional_string_field(entry, "command");
  if (!command || !*command) return bad_mcp(fmt::format("server {} has no command", quoted(name, 80)));
  McpServer server{**command, {}, {}};
  const Json arguments = entry.value("args", Json::array());
  const Json environment = entry.value("env", Json::object());
  if (!arguments.is_array() || !environment.is_object())
    return bad_mcp(fmt::format("args or env of server {} have the wrong type", quoted(name, 80)));
  for (const auto& argument : arguments) {
    if (!argument.is_string()) return bad_mcp(fmt::format("an argument of server {} is no text", quoted(name, 80)));
    server.arguments.push_back(argument.get<std::string>());
  }
  for (const auto& [variable, value] : environment.items()) {
    if (!value.is_string()) return bad_mcp(fmt::format("the variable {} is no text", quoted(variable, 80)));
    server.environment[variable] = value.get<std::string>();
  }
  return server;
}

Result<void> read_mcp_config(const std::string& text, env::Files& files, Settings& settings) {
  constexpr std::size_t kConfigMaxBytes = 1024 * 1024;
  auto document = parse_json(text);
  if (!document) {
    const auto file = files.read(text, kConfigMaxBytes);
    if (!file) return bad_mcp(fmt::format("MCP config file not found: {}", text));
    document = parse_json(*file);
    if (!document) return bad_mcp(fmt::format("{}: {}", text, document.error().what));
  }
  const Json servers = document->is_object() ? document->value("mcpServers", Json()) : Json();
  if (!servers.is_object()) return bad_mcp("mcpServers: expected an object");
  for (const auto& [name, entry] : servers.items()) settings.mcp_servers[name] = TRY(mcp_server(name, entry));
  return {};
}

// One way to talk is all that is played here.
Result<void> check_formats(const Given& given) {
  for (const std::string_view flag : {"--input-format", "--output-format"})
    if (last(given, flag) != "stream-json")
      return fail(Code::failed, fmt::format("error: a scripted agent needs {} stream-json", flag));
  return {};
}

Result<void> read_places(const Given& given, const Variable& variable, Settings& settings) {
  const auto script = last(given, "--script");
  settings.script_file = script ? *script : variable("TEAMSTER_SCRIPT").value_or("");
  if (settings.script_file.empty())
    return fail(Code::failed, "error: there is no script; give --script FILE or set TEAMSTER_SCRIPT");
  const auto place = last(given, "--place");
  settings.place_directory = place ? *place : variable("TEAMSTER_SCRIPT_PLACE").value_or("");
  if (!settings.place_directory.empty()) return {};
  const auto home = variable("HOME");
  if (!home || home->empty())
    return fail(Code::failed, "error: there is no place for sessions; give --place DIR or set HOME");
  settings.place_directory = *home + "/.script-agent";
  return {};
}

// Agents of a rehearsal find it in their home.
void read_rehearsal(const Variable& variable, env::Files& files, Settings& settings) {
  const auto home = variable("TEAMSTER_HOME");
  if (!home || home->empty() || !is_rehearsal(files, rehearsal_directory(*home))) return;
  settings.rehearsal = rehearsal_directory(*home);
  settings.seed = read_seed(files, settings.rehearsal);
  const auto team = settings.mcp_servers.find("team");
  if (team == settings.mcp_servers.end()) return;
  const auto& words = team->second.arguments;
  const auto member = std::find(words.begin(), words.end(), "--member");
  if (member != words.end() && member + 1 != words.end()) settings.member = *(member + 1);
}

}  // namespace

Result<CommandLine> parse_flags(std::span<const std::string> words, const Variable& variable, env::Files& files) {
  const Given given = TRY(read_words(words));
  CommandLine line;
  line.wants_version = given.contains("--version");
  line.check = last(given, "--check");
  if (line.wants_version || line.check) return line;
  Settings& settings = line.settings;
  TRY_VOID(check_formats(given));
  settings.session_id = TRY(session_id(given, "--session-id"));
  settings.resume = TRY(session_id(given, "--resume"));
  settings.model = last(given, "--model");
  settings.permission_mode = last(given, "--permission-mode").value_or("default");
  settings.asks_permission = last(given, "--permission-prompt-tool") == "stdio";
  settings.replays = given.contains("--replay-user-messages");
  settings.allowed_tools = names_in(given, "--allowedTools");
  settings.disallowed_tools = names_in(given, "--disallowedTools");
  if (const auto schema = last(given, "--json-schema")) {
    auto document = parse_json(*schema);
    if (!document)
      return fail(Code::failed, fmt::format("Error: --json-schema is not valid JSON: {}", document.error().what));
    settings.json_schema = *std::move(document);
  }
  if (const auto configs = given.find("--mcp-config"); configs != given.end())
    for (const auto& text : configs->second) TRY_VOID(read_mcp_config(text, files, settings));
  TRY_VOID(read_places(given, variable, settings));
  read_rehearsal(variable, files, settings);
  return line;
}

}  // namespace teamster::script
