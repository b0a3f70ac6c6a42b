#include "agent/claude/claude_driver.h"

#include <fmt/format.h>

#include "agent/claude/claude_arguments.h"
#include "agent/claude/claude_session.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"

namespace teamster::agent {
namespace {

// Settings are not read, and with them the file with the rules of the project: the agent reads it itself.
void name_rules(const env::World& world, StartOptions& options) {
  constexpr const char* kRules = "CLAUDE.md";
  const auto status = world.files.status(options.directory + "/" + kRules);
  if (options.directory.empty() || !status || !*status || (*status)->is_directory) return;
  options.instructions += fmt::format("{}{} in the project's root holds its rules: read it before you begin.",
                                      options.instructions.empty() ? "" : "\n\n", kRules);
}

Result<std::unique_ptr<Session>> start_with(const env::World& world, const StartOptions& options,
                                            const std::string& program, std::vector<std::string> words,
                                            SessionListener& listener) {
  const auto flags = claude_arguments(options, uuid_of(world.random.hex(16)));
  words.insert(words.end(), flags.begin(), flags.end());
  env::Spawn spawn{program, std::move(words), options.environment, options.directory};
  return ClaudeSession::start(world, spawn, options.limits, options.cost_so_far_usd, listener);
}

}  // namespace

Abilities ClaudeDriver::abilities() const {
  return {.injects = true, .interrupts = true, .resumes = true, .has_tools = true, .asks = true, .costs = true};
}

std::vector<std::string> ClaudeDriver::login_variables() const {
  return {"ANTHROPIC_API_KEY",       "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",      "CLAUDE_CODE_OAUTH_TOKEN",
          "CLAUDE_CODE_USE_BEDROCK", "AWS_REGION",           "CLAUDE_CODE_USE_VERTEX",  "ANTHROPIC_VERTEX_PROJECT_ID",
          "CLOUD_ML_REGION",         "ANTHROPIC_MODEL",      "ANTHROPIC_CUSTOM_HEADERS"};
}

// Bounded retries, so that a wrong key is an error and not a silence; no traffic but to the
// model; the team's tools visible from the first request.
std::vector<std::string> ClaudeDriver::fixed_variables() const {
  return {"CLAUDE_CODE_MAX_RETRIES=3", "API_TIMEOUT_MS=120000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
          "DISABLE_AUTOUPDATER=1", "ENABLE_TOOL_SEARCH=false"};
}

std::vector<std::string> ClaudeDriver::private_variables(const std::string& directory) const {
  // Its logs of MCP servers go to the cache, which is not below its configuration.
  return {"CLAUDE_CONFIG_DIR=" + directory + "/config", "XDG_CACHE_HOME=" + directory + "/cache"};
}

std::string ClaudeDriver::find_program(const env::World& world) const {
  return find_on_path(world, world.processes.variable("TEAMSTER_CLAUDE").value_or("claude"));
}

Result<void> ClaudeDriver::check(const env::World& world, const StartOptions& options) const {
  if (options.program.empty() && find_program(world).empty())
    return fail(Code::not_found, "Claude Code is not installed: there is no `claude` on PATH",
                "Install it (npm install -g @anthropic-ai/claude-code), or set TEAMSTER_CLAUDE to its path");
  return {};
}

Result<std::unique_ptr<Session>> ClaudeDriver::start(const env::World& world, const StartOptions& options,
                                                     SessionListener& listener) const {
  TRY_VOID(check(world, options));
  const std::string program = options.program.empty() ? find_program(world) : options.program;
  StartOptions start = options;
  name_rules(world, start);
  return start_with(world, start, program, {program}, listener);
}

Abilities ScriptDriver::abilities() const {
  return {.injects = true, .interrupts = true, .resumes = true, .has_tools = true, .asks = true, .costs = true};
}

std::string ScriptDriver::find_program(const env::World& world) const { return world.processes.own_executable(); }

Result<void> ScriptDriver::check(const env::World& world, const StartOptions& options) const {
  if (options.script.empty())
    return fail(Code::invalid, "the script driver needs a script", "Give one with --script FILE");
  const auto status = TRY(world.files.status(options.script));
  if (!status || status->is_directory)
    return fail(Code::not_found, fmt::format("there is no script {}", options.script),
                "Give an existing file with --script");
  return {};
}

Result<std::unique_ptr<Session>> ScriptDriver::start(const env::World& world, const StartOptions& options,
                                                     SessionListener& listener) const {
  TRY_VOID(check(world, options));
  const std::string program = find_program(world);
  return start_with(
      world, options, program,
      {program, "script-agent", "--script", options.script, "--place", options.private_directory + "/script"},
      listener);
}

}  // namespace teamster::agent
