// Plain letters: a text as it reads to somebody who is meant to be fooled: characters that nobody sees taken out,
// letters that only look like Latin ones made so, all of them small, spaces single. For looking at what people wrote,
// never for passing it on. Pure.
#pragma once

#include <string>
#include <string_view>

namespace teamster::workflow {

std::string plain_letters(std::string_view text);

// Of plain letters: digits and signs that stand for letters made so ("p4ssw0rd").
std::string without_leet(std::string_view plain);
// Of plain letters: words whose letters stand apart ("p a s s w o r d") in one piece.
std::string without_gaps(std::string_view plain);

// Whether characters are in the text that turn the direction of writing or carry hidden words.
bool hides_words(std::string_view text);
// The words that invisible tag characters spell; empty: none do.
std::string hidden_words(std::string_view text);

}  // namespace teamster::workflow
