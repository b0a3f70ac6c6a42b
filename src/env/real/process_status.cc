#include "env/real/process_status.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"
#include "env/real/descriptor.h"

namespace teamster::env::real {
namespace {

// These files are small and given whole in one read.
std::optional<std::string> read_small(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 4096> buffer;
  ssize_t got = -1;
  do {
    got = ::read(file.number(), buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(got));
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end != text.data();
}

}  // namespace

std::optional<ProcessStatus> parse_process_status(std::string_view stat) {
  // Only the name can hold a ')', so the last one ends it.
  const auto name_begin = stat.find('(');
  const auto name_end = stat.rfind(')');
  if (name_begin > name_end || name_end == std::string_view::npos || name_end + 2 >= stat.size()) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 2);
  ProcessStatus status;
  status.name = stat.substr(name_begin + 1, name_end - name_begin - 1);
  status.state = rest[0];
  // The state is field 3, the parent field 4, the start time field 22.
  for (int field = 4; field <= 22; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
    if (field == 4 && !read_number(rest, status.parent)) return std::nullopt;
  }
  if (!read_number(rest, status.start_ticks)) return std::nullopt;
  return status;
}

std::optional<ProcessStatus> read_process_status(std::int64_t pid) {
  if (pid <= 0) return std::nullopt;
  const auto text = read_small(fmt::format("/proc/{}/stat", pid));
  return text ? parse_process_status(*text) : std::nullopt;
}

std::vector<std::string> read_process_arguments(std::int64_t pid) {
  std::vector<std::string> words;
  if (pid <= 0) return words;
  const std::string text = read_small(fmt::format("/proc/{}/cmdline", pid)).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    words.emplace_back(text.c_str() + at);
    at += words.back().size() + 1;
  }
  return words;
}

std::string read_boot_id() { return std::string(trimmed(read_small("/proc/sys/kernel/random/boot_id").value_or(""))); }

std::string machine_id_of(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  const std::string_view id = trimmed(text);
  if (id.size() != kDigits || id.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  return to_hex(sha256(fmt::format("machine of teamster {}", id))).substr(0, kDigits);
}

std::string read_machine_id() {
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"})
    if (std::string id = machine_id_of(read_small(path).value_or("")); !id.empty()) return id;
  return {};
}

std::uint64_t read_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace teamster::env::real
