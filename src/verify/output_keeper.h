// OutputKeeper: what is kept of a program's output as evidence: its first and its last bytes, and the first line that
// is or begins with FAIL, wherever that is. Takes bytes of two streams as they come, in bounded memory. A value.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace teamster::verify {

struct OutputBounds {
  std::size_t head_bytes;
  std::size_t tail_bytes;
};

class OutputKeeper {
 public:
  enum class From { output, errors };
  explicit OutputKeeper(OutputBounds bounds) : bounds_(bounds) {}

  void add(From from, std::string_view bytes);
  // There is no more: a last line without its end counts, too.
  void finish();

  // All of it, or its beginning and its end with a line between them that says how much is left out.
  std::string text() const;
  // The first bytes alone.
  const std::string& head() const { return head_; }
  std::size_t bytes() const { return bytes_; }
  bool is_cut() const { return bytes_ > bounds_.head_bytes + bounds_.tail_bytes; }
  const std::optional<std::string>& fail_line() const { return fail_line_; }

 private:
  void look_for_failure(From from, std::string_view bytes);

  const OutputBounds bounds_;
  std::size_t bytes_ = 0;
  std::string head_;
  std::string tail_;
  // The beginning of the line that each stream is in, as long as it can still be told.
  std::array<std::string, 2> line_;
  std::optional<std::string> fail_line_;
};

}  // namespace teamster::verify
