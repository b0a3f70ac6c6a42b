// StandardOutput: an Output on a file descriptor, buffered until flush. Borrows the
// descriptor; the destructor flushes.
#pragma once

#include "cli/framework/output.h"

namespace teamster::cli {

class StandardOutput : public Output {
 public:
  explicit StandardOutput(int descriptor) : descriptor_(descriptor) {}
  ~StandardOutput() override { flush(); }
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  void write(std::string_view text) override;
  void flush() override;
  int broken_by() const override { return broken_by_; }

 private:
  int descriptor_;
  int broken_by_ = 0;
  std::string buffer_;
};

}  // namespace teamster::cli
