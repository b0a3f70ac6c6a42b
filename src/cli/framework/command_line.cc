#include "cli/framework/command_line.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/help_text.h"
#include "cli/framework/registry.h"
#include "cli/framework/script_agent.h"
#include "version.h"

namespace teamster::cli {
namespace {

using Words = std::vector<std::string>;

// Whether one of the words stands there as a flag, that is before `--`.
bool has_flag(const Words& words, std::initializer_list<std::string_view> names) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end, [&](const std::string& word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  });
}

void report(const Outside& outside, const Error& error, bool as_json) {
  if (as_json) outside.out.write(dump_json(error_document(error)) + "\n");
  outside.out.flush();
  outside.err.write(error_text_for(outside, error));
}

int run_command(const Outside& outside, const Registry& registry, const Arguments& arguments) {
  Context context(outside, registry, arguments);
  const Result<int> result = [&]() -> Result<int> {
    try {
      return arguments.command().run(context, arguments);
    } catch (const std::exception& exception) {
      return fail(Code::internal, fmt::format("bug: {}", exception.what()),
                  "Please report it with `teamster doctor --json`");
    }
  }();
  if (result) return *result;
  report(outside, result.error(), context.wants_json() && !context.has_begun_json());
  return exit_code(result.error().code);
}

Error incomplete(const Selection& selection) {
  if (!selection.rest.empty() && selection.path.empty())
    return {Code::invalid, fmt::format("unknown flag '{}'", selection.rest.front()), see_help("")};
  return {Code::invalid, fmt::format("`teamster {}` needs a verb", selection.path), see_help(selection.path)};
}

int run_words(const Outside& outside, const Words& words) {
  // Not for people: it stands in for an agent and has an agent's command line.
  if (!words.empty() && words.front() == "script-agent") return script_agent(outside, std::span(words).subspan(1));
  const Registry registry = all_commands();
  if (words.empty()) {
    outside.out.write(help_overview(registry));
    return kExitUsage;
  }
  const bool as_json = has_flag(words, {"--json"});
  const auto refuse = [&](const Error& error) {
    report(outside, error, as_json);
    return exit_code(error.code);
  };
  if (words.front() == "--version") {
    outside.out.write(fmt::format("teamster {}\n", kVersion));
    return kExitDone;
  }
  const auto selection = registry.select(words);
  if (!selection) return refuse(selection.error());
  if (has_flag(selection->rest, {"--help", "-h"})) {
    outside.out.write(help_for(registry, selection->path));
    return kExitDone;
  }
  if (selection->command == nullptr) return refuse(incomplete(*selection));
  const auto token_file = outside.variable("TEAMSTER_TOKEN_FILE");
  const auto arguments = Arguments::parse(*selection->command, selection->rest, token_file && !token_file->empty());
  if (!arguments) return refuse(arguments.error());
  return run_command(outside, registry, *arguments);
}

}  // namespace

int run_command_line(const Outside& outside, const Words& words) {
  const int code = run_words(outside, words);
  outside.out.flush();
  const int broken_by = outside.out.broken_by();
  if (broken_by != 0 && broken_by != EPIPE)
    outside.err.write(error_text(
        {Code::failed, fmt::format("cannot write to standard output: {}", std::generic_category().message(broken_by)),
         ""}));
  outside.err.flush();
  return broken_by != 0 && code == kExitDone ? kExitNothing : code;
}

}  // namespace teamster::cli
