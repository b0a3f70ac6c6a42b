// PatternProgram: what a regular expression is compiled to, and its compiler. The instructions
// of Thompson's automaton; offsets are relative, so that a piece can be copied to repeat it.
// Known to Pattern alone, which runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/character_set.h"
#include "base/result.h"

namespace teamster {

struct PatternInstruction {
  enum class Kind : std::uint8_t {
    character,    // first is the character
    set,          // first is its number
    split,        // to first, or else to second
    jump,         // to first
    group_begin,  // of the first group alone: nobody asks for others
    group_end,
    text_begin,
    text_end,
    word_border,
    no_word_border,
    match,
  };
  Kind kind;
  std::int32_t first = 0;
  std::int32_t second = 0;
};

struct PatternProgram {
  std::vector<PatternInstruction> code;
  std::vector<CharacterSet> sets;
};

// Code::invalid says why it cannot be used.
Result<PatternProgram> compile_pattern(std::string_view expression);

}  // namespace teamster
