#include "project/project_path.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kQuotedPathMaxBytes = 200;

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool leads_up(std::string_view path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

tl::unexpected<Error> refuse(std::string_view what, std::string_view path, std::string_view why) {
  return fail(Code::invalid, fmt::format("{} {} {}", what, quoted(path, kQuotedPathMaxBytes), why),
              "Use a path from the project's directory on");
}

}  // namespace

Result<void> check_project_path(std::string_view what, std::string_view path) {
  if (path.empty()) return fail(Code::invalid, fmt::format("{} is empty", what), "Name a path in the project");
  if (path.front() == '/') return refuse(what, path, "is absolute");
  if (leads_up(path)) return refuse(what, path, "leads out of the project");
  if (has_control_character(path)) return refuse(what, path, "has a control character");
  return {};
}

Result<void> check_file_name(std::string_view what, std::string_view name) {
  TRY_VOID(check_project_path(what, name));
  if (name.find('/') != name.npos) return refuse(what, name, "is not one name of a file");
  if (name.front() == '.') return refuse(what, name, "begins with a dot");
  if (name.size() > limits::kFileNameMaxBytes) return refuse(what, name, "is too long for a file");
  return {};
}

bool is_at_or_below(std::string_view path, std::string_view directory) {
  while (directory.starts_with("./")) directory.remove_prefix(2);
  while (directory.ends_with('/')) directory.remove_suffix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (directory.empty() || directory == ".") return true;
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || path[directory.size()] == '/';
}

}  // namespace teamster::engine
