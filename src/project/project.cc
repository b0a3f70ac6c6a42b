#include "project/project.h"

#include <fnmatch.h>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "project/project_path.h"

namespace teamster::engine {

Result<void> check_is_there(const Project& project) {
  const auto status = TRY(project.files.status(project.directory));
  if (status && status->is_directory) return {};
  return fail(Code::not_found,
              fmt::format("the project {} is gone: {}", project.directory,
                          status ? "a file is where its directory was" : "its directory was moved or deleted"),
              "Put it back where it was, then go on with `teamster resume`");
}

Result<std::optional<std::string>> read_text(const Project& project, const std::string& path) {
  TRY_VOID(check_project_path("the path", path));
  auto text = project.files.read_beneath(project.directory, path, limits::kProjectFileMaxBytes);
  if (!text && text.error().code == Code::not_found) return std::optional<std::string>();
  if (!text) return fail(text.error());
  if (find_invalid_utf8(*text))
    return fail(Code::invalid, fmt::format("{} is not UTF-8 text", path), "Save it as UTF-8");
  return std::optional(*std::move(text));
}

Result<void> write_text(const Project& project, const std::string& path, const std::string& text) {
  TRY_VOID(check_project_path("the path", path));
  const std::string place = project.directory + "/" + path;
  const auto there = TRY(project.files.status(place));
  if (!there || there->is_directory) return fail(Code::not_found, fmt::format("there is no file {}", path));
  constexpr std::uint32_t kModeBits = 0777;
  return project.files.write_atomically(place, text, there->mode & kModeBits);
}

Result<std::vector<std::string>> matching_files(const Project& project, const std::string& glob) {
  TRY_VOID(check_project_path("the pattern of files", glob));
  const std::size_t slash = glob.rfind('/');
  const std::string before = slash == glob.npos ? "" : glob.substr(0, slash + 1);
  const std::string pattern = glob.substr(before.size());
  const auto names = project.files.list(project.directory + "/" + before);
  if (!names && names.error().code == Code::not_found) return std::vector<std::string>();
  if (!names) return fail(names.error());
  std::vector<std::string> found;
  for (const auto& name : *names) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    const auto status = TRY(project.files.status(fmt::format("{}/{}{}", project.directory, before, name)));
    if (!status || status->is_directory) continue;
    if (found.size() == limits::kSeriesItemsMax)
      return fail(Code::invalid, fmt::format("more than {} files match {}", limits::kSeriesItemsMax, glob),
                  "Move those away that are not needed");
    found.push_back(before + name);
  }
  return found;
}

}  // namespace teamster::engine
