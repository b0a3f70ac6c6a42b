#include "script/file_change.h"

#include <fmt/format.h>

#include "base/result.h"

namespace teamster::script {
namespace {

constexpr std::uint32_t kNewFileMode = 0644;

Result<std::string> carry_out(env::Files& files, const std::string& path, const ChangeFile& change) {
  if (change.how == ChangeFile::How::remove) {
    TRY_VOID(files.remove_tree(path));
    return fmt::format("File removed: {}", path);
  }
  const auto before = TRY(files.status(path));
  const std::string parent = path.substr(0, path.rfind('/'));
  if (!before && !parent.empty()) TRY_VOID(files.make_private_directory(parent));
  if (change.how == ChangeFile::How::append) {
    TRY_VOID(files.append(path, change.text, kNewFileMode));
  } else {
    TRY_VOID(files.write_atomically(path, change.text, before ? before->mode : kNewFileMode));
  }
  return before ? fmt::format("The file {} has been updated successfully.", path)
                : fmt::format("File created successfully at: {}", path);
}

}  // namespace

Outcome change_file(env::Files& files, const std::string& directory, const ChangeFile& change) {
  const std::string path = change.path.starts_with('/') ? change.path : directory + "/" + change.path;
  const auto done = carry_out(files, path, change);
  if (!done) return {.is_error = true, .text = done.error().text()};
  return {.text = *done};
}

}  // namespace teamster::script
