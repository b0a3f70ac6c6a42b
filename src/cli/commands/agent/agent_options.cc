#include "cli/commands/agent/agent_options.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/driver_choice.h"
#include "base/limits.h"
#include "env/files.h"
#include "schema/schema.h"

namespace teamster::cli {
namespace {

// Without a slash at its end: paths are shown and compared.
std::string absolute(std::string path) {
  if (path.empty()) return path;
  if (path.front() != '/') {
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    path = (error ? std::filesystem::path("/") : here / path).lexically_normal().string();
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> working_directory(const Context& context, const Arguments& arguments) {
  const std::string path = absolute(arguments.has("cwd") ? arguments.value("cwd") : ".");
  const auto status = TRY(context.outside().world().files.status(path));
  if (!status || !status->is_directory)
    return fail(Code::invalid, fmt::format("there is no directory {}", path), "Give an existing one with --cwd");
  return path;
}

Result<agent::EnvironmentOptions> environment_options(const Arguments& arguments) {
  agent::EnvironmentOptions options;
  const std::string login = arguments.value("auth");
  if (login == "env") options.login = agent::Login::env;
  if (login == "file") options.login = agent::Login::file;
  options.login_file = absolute(arguments.value("auth-file"));
  if ((login == "file") != !options.login_file.empty())
    return fail(Code::invalid, "--auth file and --auth-file FILE go together", "Give both, or neither");
  options.secrets = arguments.values("secret");
  return options;
}

}  // namespace

Result<Json> read_schema(const Context& context, const std::string& path) {
  const std::string text = TRY(context.outside().world().files.read(absolute(path), limits::kMetadataMaxBytes));
  auto json = parse_json(text);
  if (!json) return fail(json.error().within(path));
  auto compiled = schema::Schema::compile(*json);
  if (!compiled) return fail(compiled.error().within(path));
  return *std::move(json);
}

std::vector<Flag> agent_flags() {
  return {
      {.name = "driver",
       .value = "DRIVER",
       .help = "How it is run; see `teamster agent drivers`. 'command:PROGRAM ARGUMENTS' is any program",
       .fallback = "claude"},
      {.name = "model", .value = "MODEL", .help = "The model, as the agent names it"},
      {.name = "cwd", .value = "DIRECTORY", .type = ValueType::file, .help = "Where it works (default: here)"},
      {.name = "instructions", .value = "TEXT", .help = "Who it is and what it is for, beside what it is told"},
      {.name = "prompt", .value = "TEXT", .help = "What it is told first"},
      {.name = "schema", .value = "FILE", .type = ValueType::file, .help = "JSON Schema of the answer to --prompt"},
      {.name = "script", .value = "FILE", .type = ValueType::file, .help = "Of the script driver: what it plays"},
      {.name = "allow",
       .value = "RULE",
       .help = "A tool it may use without being asked for: Tool, or Tool(pattern) such as 'Bash(git *)'",
       .repeatable = true},
      {.name = "deny", .value = "RULE", .help = "A tool it may not use, whatever else is allowed", .repeatable = true},
      {.name = "allow-all", .help = "Allow every tool that is not denied"},
      {.name = "auth",
       .value = "HOW",
       .help = "Whose login it uses",
       .fallback = "inherit",
       .choices = {"inherit", "env", "file"}},
      {.name = "auth-file", .value = "FILE", .type = ValueType::file, .help = "With --auth file: holds the key"},
      {.name = "secret", .value = "NAME", .help = "A variable of the environment to pass on", .repeatable = true},
      {.name = "silence",
       .value = "TIME",
       .type = ValueType::duration,
       .help = "Cut a turn that says nothing for so long",
       .fallback = "15m"},
      {.name = "turn-limit",
       .value = "TIME",
       .type = ValueType::duration,
       .help = "Cut a turn that takes longer",
       .fallback = "4h"},
      {.name = "fresh", .help = "Begin a new conversation even if the last one could be resumed"},
  };
}

Result<agent::MemberOptions> agent_options(const Context& context, const Arguments& arguments,
                                           const std::string& member) {
  agent::MemberOptions options;
  options.team = arguments.value("team");
  options.member = member;
  agent::DriverChoice choice = TRY(agent::DriverChoice::parse(arguments.value("driver")));
  options.driver = choice.driver;
  options.fresh = arguments.has("fresh");
  options.environment = TRY(environment_options(arguments));
  agent::PermissionPolicy::Rules rules{arguments.values("allow"), arguments.values("deny"), arguments.has("allow-all")};
  options.permissions = TRY(agent::PermissionPolicy::make(rules));
  options.start.directory = TRY(working_directory(context, arguments));
  options.start.model = arguments.value("model");
  options.start.instructions = arguments.value("instructions");
  options.start.script = absolute(arguments.value("script"));
  options.start.arguments = arguments.values("ARGUMENT");
  if (!choice.command.empty()) {
    if (!options.start.arguments.empty())
      return fail(Code::invalid, "the program is named twice: in --driver and after --", "Leave one of them out");
    options.start.arguments = std::move(choice.command);
  }
  options.start.limits.silence = arguments.duration("silence");
  options.start.limits.turn = arguments.duration("turn-limit");
  TRY_VOID(options.driver->check(context.outside().world(), options.start));
  return options;
}

}  // namespace teamster::cli
