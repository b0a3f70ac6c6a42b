#include "env/real/real_processes.h"

#include <unistd.h>

#include <array>

#include "base/check.h"
#include "env/real/detached_process.h"
#include "env/real/process_status.h"
#include "env/real/real_child.h"

namespace teamster::env::real {

Result<std::unique_ptr<Child>> RealProcesses::spawn(const Spawn& spawn) { return RealChild::start(loop_, spawn); }

Result<std::int64_t> RealProcesses::spawn_detached(const Spawn& spawn) { return start_detached(spawn); }

ProcessIdentity RealProcesses::self() {
  auto identity = identify(::getpid());
  CHECK(identity);
  return *std::move(identity);
}

std::optional<ProcessIdentity> RealProcesses::identify(std::int64_t pid) {
  const auto status = read_process_status(pid);
  if (!status || !status->is_alive()) return std::nullopt;
  if (!here_) here_ = Here{read_boot_id(), read_machine_id(), read_pid_namespace()};
  return ProcessIdentity{pid, status->start_ticks, here_->boot_id, here_->machine_id, here_->pid_namespace};
}

bool RealProcesses::is_alive(const ProcessIdentity& identity) {
  const auto found = identify(identity.pid);
  return found && is_same_process(*found, identity);
}

std::optional<SeenProcess> RealProcesses::look_at(std::int64_t pid) {
  auto status = read_process_status(pid);
  if (!status) return std::nullopt;
  return SeenProcess{status->parent, status->start_ticks, std::move(status->name)};
}

std::vector<std::string> RealProcesses::arguments_of(std::int64_t pid) { return read_process_arguments(pid); }

std::optional<std::string> RealProcesses::variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> RealProcesses::environment() {
  std::vector<std::string> all;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::string RealProcesses::own_executable() {
  std::array<char, 4096> buffer;
  const ssize_t length = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (length <= 0) return {};
  std::string path(buffer.data(), static_cast<std::size_t>(length));
  // After an upgrade the old file is gone; under its path lies the new program, which is
  // the one to start.
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace teamster::env::real
