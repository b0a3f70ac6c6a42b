// Words in commands: which words mean nothing to a shell, wherever they stand in a command. Pure. Whoever asks about
// a pattern gets a careful answer: yes only where every word that it matches is such a word.
#pragma once

#include <string_view>

namespace teamster::workflow {

// Letters, digits and _ - . / , : @ % + alone. The empty word is one.
bool is_plain_word(std::string_view word);

// Of a pattern that matches a whole word. One that matches anything is empty.
bool matches_plain_words_alone(std::string_view pattern);

// The same for the first group of a pattern.
bool captures_plain_words_alone(std::string_view pattern);

}  // namespace teamster::workflow
