// A list of strings in the shape exec wants: pointers, ending with a null one.
// Borrows the strings. Made before a fork, because nothing may be allocated after it.
#pragma once

#include <string>
#include <vector>

namespace teamster::env::real {

class ProgramArguments {
 public:
  explicit ProgramArguments(const std::vector<std::string>& texts) {
    pointers_.reserve(texts.size() + 1);
    // exec takes char* for the sake of old programs and does not write through it.
    for (const auto& text : texts) pointers_.push_back(const_cast<char*>(text.c_str()));
    pointers_.push_back(nullptr);
  }
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

}  // namespace teamster::env::real
