#include "cli/framework/context.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

bool wants_color(const Outside& outside) {
  if (!outside.output_is_terminal) return false;
  const auto no_color = outside.variable("NO_COLOR");
  const auto terminal = outside.variable("TERM");
  return (!no_color || no_color->empty()) && terminal && *terminal != "dumb";
}

}  // namespace

Context::Context(const Outside& outside, const Registry& registry, const Arguments& arguments)
    : outside_(outside), registry_(registry), wants_color_(wants_color(outside)) {
  const HubUse hub = arguments.command().hub;
  if (hub == HubUse::none) return;
  wants_json_ = arguments.has("json");
  if (hub == HubUse::of_its_own) return;
  if (hub == HubUse::writes && arguments.has("key")) key_ = arguments.value("key");
  if (arguments.has("token-file"))
    access_ = hub::Access::member(arguments.value("token-file"));
  else if (const auto file = outside.variable("TEAMSTER_TOKEN_FILE"); file && !file->empty())
    access_ = hub::Access::member(*file);
}

Result<std::string> Context::directory() const {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (!error) return here.string();
  return fail(Code::not_found, fmt::format("the directory of this shell is gone: {}", error.message()),
              "Change to the directory of your project and try again");
}

Result<Json> Context::read(std::string op, Json args, std::optional<Duration> wait) const {
  return outside_.call(access_, {.op = std::move(op), .args = std::move(args), .wait = wait, .key = {}});
}

Result<Json> Context::write(std::string op, Json args, WriteOptions options) const {
  if (key_ && key_->empty())
    return fail(Code::invalid, "--key is empty", "Leave it out, or give each piece of work its own");
  std::string key = key_.value_or("");
  if (key_ && !options.step.empty()) key += "." + options.step;
  if (key.size() > limits::kKeyMaxBytes)
    return fail(
        Code::invalid,
        fmt::format("the key {} has {} bytes, over the limit of {}", quoted(key, 40), key.size(), limits::kKeyMaxBytes),
        "Give a shorter --key");
  return outside_.call(access_,
                       {.op = std::move(op), .args = std::move(args), .wait = options.wait, .key = std::move(key)});
}

void Context::print_json(const Json& document) {
  has_begun_json_ = true;
  print(dump_json(document));
  print("\n");
}

void Context::note(std::string_view text) const {
  outside_.out.flush();
  outside_.err.write(text);
  outside_.err.flush();
}

std::string Context::styled(std::string_view text, std::string_view code) const {
  return wants_color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Json error_document(const Error& error) {
  return {{"error", {{"code", to_string(error.code)}, {"what", error.what}, {"next", error.next}}}};
}

std::string error_text(const Error& error) {
  std::string text = fmt::format("teamster: {}\n", printable_line(error.what));
  if (!error.next.empty()) text += fmt::format("  {}\n", printable_line(error.next));
  return text;
}

}  // namespace teamster::cli
