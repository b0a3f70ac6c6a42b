#include "cli/framework/context.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kFewestColumns = 20;  // on fewer nothing can be read anyhow
constexpr std::size_t kHang = 2;            // of the rest of a line that was broken

bool wants_color(const Outside& outside) {
  const auto no_color = outside.variable("NO_COLOR");
  if (no_color && !no_color->empty()) return false;
  // Of whoever shows our output on a terminal.
  if (const auto force = outside.variable("CLICOLOR_FORCE"); force && !force->empty() && *force != "0") return true;
  const auto terminal = outside.variable("TERM");
  return outside.output_is_terminal && terminal && *terminal != "dumb";
}

}  // namespace

Context::Context(const Outside& outside, const Registry& registry, const Arguments& arguments)
    : outside_(outside), registry_(registry), palette_(wants_color(outside)) {
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

Result<Json> Context::read(hub::Request request) const { return outside_.call(access_, std::move(request)); }

Result<Json> Context::write(hub::Request request, const std::string& step) const {
  if (key_ && key_->empty())
    return fail(Code::invalid, "--key is empty", "Leave it out, or give each piece of work its own");
  std::string key = key_.value_or("");
  if (key_ && !step.empty()) key += "." + step;
  if (key.size() > limits::kKeyMaxBytes)
    return fail(
        Code::invalid,
        fmt::format("the key {} has {} bytes, over the limit of {}", quoted(key, 40), key.size(), limits::kKeyMaxBytes),
        "Give a shorter --key");
  request.key = std::move(key);
  return outside_.call(access_, std::move(request));
}

void Context::print(std::string_view text) const {
  if (outside_.output_is_terminal)
    outside_.out.write(fitted(text, columns(), kHang));
  else
    outside_.out.write(text);
}

void Context::print_json(const Json& document) {
  has_begun_json_ = true;
  print_as_it_is(dump_json(document));
  print_as_it_is("\n");
}

void Context::note(std::string_view text) const {
  outside_.out.flush();
  outside_.err.write(fitted(text, outside_.errors_are_terminal ? terminal_columns(outside_) : 0, kHang));
  outside_.err.flush();
}

std::size_t terminal_columns(const Outside& outside) {
  const auto given = outside.variable("COLUMNS");
  std::size_t columns = 0;
  if (given) (void)std::from_chars(given->data(), given->data() + given->size(), columns);
  if (columns == 0) columns = outside.columns();
  return columns == 0 ? kUsualColumns : std::max(columns, kFewestColumns);
}

Json error_document(const Error& error) {
  return {{"error", {{"code", to_string(error.code)}, {"what", error.what}, {"next", error.next}}}};
}

std::string error_text(const Error& error) {
  // Lines of what is wrong stand below it, indented: none of them can be taken for one of ours.
  // A workflow's own words for it are known to others by their beginning.
  const bool are_own_words = error.what.starts_with("ERROR: ");
  std::string text =
      are_own_words ? printable_block(error.what + "\n", "") : printable_note("teamster: " + error.what, "  ");
  if (!error.next.empty()) text += fmt::format("  {}\n", printable_line(error.next));
  return text;
}

std::string error_text_for(const Outside& outside, const Error& error) {
  return fitted(error_text(error), outside.errors_are_terminal ? terminal_columns(outside) : 0, kHang);
}

}  // namespace teamster::cli
