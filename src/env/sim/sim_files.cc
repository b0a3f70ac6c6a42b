#include "env/sim/sim_files.h"

#include <cerrno>

#include <fmt/format.h>

#include "env/file_error.h"

namespace teamster::env::sim {
namespace {

using Durability = SimFileTree::Durability;

constexpr std::uint32_t kOwnerUid = 1000;

std::string_view action_of(FileOperation operation) {
  switch (operation) {
    case FileOperation::read:
      return "read";
    case FileOperation::create:
      return "create";
    case FileOperation::make_directory:
      return "create directory";
    case FileOperation::status:
      return "look at";
    case FileOperation::list:
      return "list";
    case FileOperation::rename:
      return "rename";
    case FileOperation::remove:
      return "remove";
    case FileOperation::lock:
      return "lock";
    case FileOperation::watch:
      return "watch";
    case FileOperation::write:
    case FileOperation::append:
      break;
  }
  return "write";
}

class SimLock : public FileLock {
 public:
  SimLock(SimFileTree& tree, std::string path, std::uint64_t token)
      : tree_(tree), path_(std::move(path)), token_(token) {}
  ~SimLock() override { tree_.unlock(path_, token_); }
  SimLock(const SimLock&) = delete;
  SimLock& operator=(const SimLock&) = delete;

 private:
  SimFileTree& tree_;
  const std::string path_;
  const std::uint64_t token_;
};

}  // namespace

// The path in its normal form, unless the host is dead or a fault was ordered.
Result<std::string> SimFiles::begin(FileOperation operation, const std::string& path) {
  if (!loop_.is_alive(host_))
    return fail(Code::unavailable, fmt::format("cannot {} {}: this process was killed", action_of(operation), path));
  if (path.empty()) return fail(file_error(ENOENT, action_of(operation), path));
  if (const int error_number = tree_.fault(operation, path); error_number != 0)
    return fail(file_error(error_number, action_of(operation), path));
  return SimFileTree::normalized(path);
}

Result<void> SimFiles::check_parent(std::string_view action, const std::string& path) {
  const auto* parent = tree_.find(SimFileTree::parent_of(path));
  if (parent == nullptr) return fail(file_error(ENOENT, action, path));
  if (!parent->is_directory) return fail(file_error(ENOTDIR, action, path));
  return {};
}

Result<void> SimFiles::check_is_no_directory(std::string_view action, const std::string& path) {
  const auto* node = tree_.find(path);
  if (node != nullptr && node->is_directory) return fail(file_error(EISDIR, action, path));
  return {};
}

SimFileTree::Node SimFiles::new_file(std::string_view bytes, std::uint32_t mode) const {
  return {
      .is_directory = false, .mode = mode, .bytes = std::string(bytes), .modified_unix_ms = clock_.wall_now().unix_ms};
}

Result<std::string> SimFiles::read(const std::string& given, std::size_t max_bytes) {
  const std::string path = TRY(begin(FileOperation::read, given));
  const auto* node = tree_.find(path);
  if (node == nullptr) return fail(file_error(ENOENT, "read", path));
  if (node->is_directory) return fail(Code::invalid, fmt::format("cannot read {}: it is not a file", path));
  if (node->bytes.size() > max_bytes)
    return fail(Code::invalid, fmt::format("cannot read {}: it is larger than {} bytes", path, max_bytes));
  return node->bytes;
}

Result<std::string> SimFiles::read_beneath(const std::string& directory, const std::string& path,
                                           std::size_t max_bytes) {
  const std::string whole = SimFileTree::normalized(directory + "/" + path);
  if (!whole.starts_with(SimFileTree::normalized(directory) + "/"))
    return fail(Code::refused, fmt::format("cannot read {}: it leads out of {}", path, directory));
  return read(whole, max_bytes);
}

Result<void> SimFiles::write_atomically(const std::string& given, std::string_view bytes, std::uint32_t mode) {
  const std::string path = TRY(begin(FileOperation::write, given));
  TRY_VOID(check_parent("write", path));
  TRY_VOID(check_is_no_directory("write", path));
  tree_.put(path, new_file(bytes, mode), Durability::synced);
  return {};
}

Result<void> SimFiles::replace(const std::string& given, std::string_view bytes, std::uint32_t mode) {
  const std::string path = TRY(begin(FileOperation::write, given));
  TRY_VOID(check_parent("write", path));
  TRY_VOID(check_is_no_directory("write", path));
  tree_.put(path, new_file(bytes, mode), Durability::unsynced);
  return {};
}

Result<bool> SimFiles::create_exclusively(const std::string& given, std::string_view bytes, std::uint32_t mode) {
  const std::string path = TRY(begin(FileOperation::create, given));
  TRY_VOID(check_parent("create", path));
  if (tree_.find(path) != nullptr) return false;
  tree_.put(path, new_file(bytes, mode), Durability::synced);
  return true;
}

Result<void> SimFiles::append(const std::string& given, std::string_view bytes, std::uint32_t mode) {
  const std::string path = TRY(begin(FileOperation::append, given));
  TRY_VOID(check_parent("write", path));
  TRY_VOID(check_is_no_directory("write", path));
  const auto* before = tree_.find(path);
  SimFileTree::Node node = before != nullptr ? *before : new_file("", mode);
  node.bytes += bytes;
  node.modified_unix_ms = clock_.wall_now().unix_ms;
  tree_.put(path, std::move(node), Durability::unsynced);
  return {};
}

Result<void> SimFiles::make_private_directory(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::make_directory, given));
  std::vector<std::string> missing;
  for (std::string up = path;; up = SimFileTree::parent_of(up)) {
    if (const auto* node = tree_.find(up)) {
      if (!node->is_directory) return fail(file_error(up == path ? EEXIST : ENOTDIR, "create directory", path));
      break;
    }
    missing.push_back(up);
  }
  for (auto directory = missing.rbegin(); directory != missing.rend(); ++directory) {
    SimFileTree::Node node = new_file("", 0700);
    node.is_directory = true;
    tree_.put(*directory, std::move(node), Durability::synced);
  }
  return {};
}

Result<void> SimFiles::make_directory(const std::string& given, std::uint32_t mode) {
  const std::string path = TRY(begin(FileOperation::make_directory, given));
  if (const auto* there = tree_.find(path)) {
    if (there->is_directory) return {};
    return fail(file_error(EEXIST, "create directory", path));
  }
  TRY_VOID(check_parent("create directory", path));
  SimFileTree::Node node = new_file("", mode);
  node.is_directory = true;
  tree_.put(path, std::move(node), Durability::synced);
  return {};
}

Result<std::optional<FileStatus>> SimFiles::status(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::status, given));
  const auto* node = tree_.find(path);
  if (node == nullptr) return std::optional<FileStatus>{};
  return std::optional(FileStatus{.is_directory = node->is_directory,
                                  .mode = node->mode,
                                  .owner_uid = kOwnerUid,
                                  .bytes = node->bytes.size(),
                                  .modified_unix_ms = node->modified_unix_ms});
}

Result<std::vector<std::string>> SimFiles::list(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::list, given));
  const auto* node = tree_.find(path);
  if (node == nullptr) return fail(file_error(ENOENT, "list", path));
  if (!node->is_directory) return fail(file_error(ENOTDIR, "list", path));
  return tree_.names_in(path);
}

Result<void> SimFiles::rename(const std::string& given_from, const std::string& given_to) {
  const std::string from = TRY(begin(FileOperation::rename, given_from));
  const std::string to = SimFileTree::normalized(given_to);
  if (tree_.find(from) == nullptr) return fail(file_error(ENOENT, "rename", from + " to " + to));
  TRY_VOID(check_parent("rename", to));
  if (from == to) return {};
  TRY_VOID(check_is_no_directory("rename", to));
  tree_.rename(from, to);
  return {};
}

Result<void> SimFiles::remove_tree(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::remove, given));
  if (path == "/") return fail(file_error(EPERM, "remove", path));
  if (tree_.find(path) != nullptr) tree_.remove(path);
  return {};
}

Result<std::uint64_t> SimFiles::free_bytes(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::status, given));
  if (tree_.find(path) == nullptr) return fail(file_error(ENOENT, "look at", path));
  return tree_.free_bytes;
}

Result<std::string> SimFiles::file_system(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::status, given));
  if (tree_.find(path) == nullptr) return fail(file_error(ENOENT, "look at", path));
  return tree_.file_system;
}

Result<std::unique_ptr<FileLock>> SimFiles::try_lock(const std::string& given) {
  const std::string path = TRY(begin(FileOperation::lock, given));
  TRY_VOID(check_parent("lock", path));
  TRY_VOID(check_is_no_directory("lock", path));
  if (tree_.find(path) == nullptr) tree_.put(path, new_file("", 0600), Durability::unsynced);
  std::uint64_t token = 0;
  if (!tree_.try_lock(host_, path, token)) return std::unique_ptr<FileLock>{};
  return std::make_unique<SimLock>(tree_, path, token);
}

Result<std::unique_ptr<FileSync>> SimFiles::open_sync(const std::string& path) {
  return fail(Code::failed, "there is no simulated sync of " + path);
}

Result<Registration> SimFiles::watch(const std::string& given, std::function<void()> changed) {
  const std::string path = TRY(begin(FileOperation::watch, given));
  const auto* node = tree_.find(path);
  if (node == nullptr) return fail(file_error(ENOENT, "watch", path));
  if (!node->is_directory) return fail(file_error(ENOTDIR, "watch", path));
  return tree_.watch(host_, path, std::move(changed));
}

}  // namespace teamster::env::sim
