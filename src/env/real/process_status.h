// What /proc tells about a process: pure parsing, and the two files it comes from.
// Robust against program names with spaces and brackets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace teamster::env::real {

struct ProcessStatus {
  char state = '?';
  std::uint64_t start_ticks = 0;
  // A zombie has ended; only its parent has not noticed yet.
  bool is_alive() const { return state != 'Z' && state != 'X' && state != 'x'; }
};

// Of the text of /proc/PID/stat. The name in it may hold spaces, parentheses and newlines.
std::optional<ProcessStatus> parse_process_status(std::string_view stat);

std::optional<ProcessStatus> read_process_status(std::int64_t pid);
// Empty where the kernel does not tell.
std::string read_boot_id();

}  // namespace teamster::env::real
