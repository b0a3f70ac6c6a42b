// Palette: emphasis for a terminal that wants colour; on any other it leaves texts as they are. What it is given has to
// be safe to print already. A value.
#pragma once

#include <string>
#include <string_view>

namespace teamster::cli {

class Palette {
 public:
  explicit Palette(bool is_on) : is_on_(is_on) {}

  bool is_on() const { return is_on_; }

  std::string bold(std::string_view text) const { return styled(text, "1"); }
  std::string dim(std::string_view text) const { return styled(text, "2"); }
  std::string red(std::string_view text) const { return styled(text, "31"); }
  std::string green(std::string_view text) const { return styled(text, "32"); }
  std::string yellow(std::string_view text) const { return styled(text, "33"); }
  std::string cyan(std::string_view text) const { return styled(text, "36"); }
  // The status of a run, a task or an outcome of a step, by what it means: well, badly, somebody is needed.
  std::string status(std::string_view word) const;

 private:
  std::string styled(std::string_view text, std::string_view code) const;

  bool is_on_;
};

}  // namespace teamster::cli
