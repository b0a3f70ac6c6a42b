// Output: where a command's text goes. The real one is a file descriptor; tests capture.
// A broken output is remembered, so that a command can stop writing to it.
#pragma once

#include <string>
#include <string_view>

namespace teamster::cli {

class Output {
 public:
  virtual ~Output() = default;
  // Never fails in the caller's face: a broken output swallows the rest and says so below.
  virtual void write(std::string_view text) = 0;
  virtual void flush() = 0;
  // The errno of the first failed write, or 0. EPIPE: the reader has gone, which is no error to report.
  virtual int broken_by() const = 0;
};

}  // namespace teamster::cli
