#include "script/file_change.h"

#include <fmt/format.h>

#include "base/result.h"

namespace teamster::script {
namespace {

constexpr std::uint32_t kNewFileMode = 0644;

std::string parent_directory(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The draft may lie on another file system, from which it cannot be moved. Then the file is written where it
// belongs: what a kill leaves of it is written again when the session goes on.
Result<void> put_in_place(env::Files& files, const std::string& draft, const std::string& path,
                          const ChangeFile& change, std::uint32_t mode) {
  TRY_VOID(files.make_private_directory(parent_directory(draft)));
  TRY_VOID(files.replace(draft, change.text, mode));
  if (files.rename(draft, path)) return {};
  TRY_VOID(files.remove_tree(draft));
  TRY_VOID(files.remove_tree(path));
  return files.append(path, change.text, mode);
}

Result<std::string> carry_out(env::Files& files, const std::string& draft, const std::string& path,
                              const ChangeFile& change) {
  if (change.how == ChangeFile::How::remove) {
    TRY_VOID(files.remove_tree(path));
    return fmt::format("File removed: {}", path);
  }
  const auto before = TRY(files.status(path));
  if (before && before->is_directory)
    return fail(Code::invalid, fmt::format("cannot write {}: it is a directory", path));
  const std::string parent = parent_directory(path);
  if (!before && !parent.empty()) TRY_VOID(files.make_private_directory(parent));
  if (change.how == ChangeFile::How::append)
    TRY_VOID(files.append(path, change.text, kNewFileMode));
  else
    TRY_VOID(put_in_place(files, draft, path, change, before ? before->mode : kNewFileMode));
  return before ? fmt::format("The file {} has been updated successfully.", path)
                : fmt::format("File created successfully at: {}", path);
}

}  // namespace

Outcome change_file(env::Files& files, const FilePlaces& places, const ChangeFile& change) {
  const std::string path = change.path.starts_with('/') ? change.path : places.directory + "/" + change.path;
  const auto done = carry_out(files, places.draft, path, change);
  if (!done) return {.is_error = true, .text = done.error().text()};
  return {.text = *done};
}

}  // namespace teamster::script
