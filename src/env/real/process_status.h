// What the system tells about a process and where it is: pure parsing, and the files it comes from.
// Robust against program names with spaces and brackets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::env::real {

struct ProcessStatus {
  std::string name;
  char state = '?';
  std::int64_t parent = 0;
  std::uint64_t start_ticks = 0;
  // A zombie has ended; only its parent has not noticed yet.
  bool is_alive() const { return state != 'Z' && state != 'X' && state != 'x'; }
};

// Of the text of /proc/PID/stat. The name in it may hold spaces, parentheses and newlines.
std::optional<ProcessStatus> parse_process_status(std::string_view stat);

std::optional<ProcessStatus> read_process_status(std::int64_t pid);
// The words it was started with, as far as its first 4 KiB hold them.
std::vector<std::string> read_process_arguments(std::int64_t pid);
// Empty where the kernel does not tell.
std::string read_boot_id();
// The machine, whatever its boot: a digest of its id, which is nobody else's to know. Empty where there is none.
std::string read_machine_id();
// Of the text of /etc/machine-id; empty for one that is not set yet.
std::string machine_id_of(std::string_view text);
// Of this process; 0 where the kernel does not tell.
std::uint64_t read_pid_namespace();

}  // namespace teamster::env::real
