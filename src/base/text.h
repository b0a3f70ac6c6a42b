// Small functions on text that more than one module needs: quoting, UTF-8, suggestions.
// Pure; safe on whatever bytes another process wrote.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace teamster {

// The text in single quotes, control characters and broken UTF-8 escaped, cut to
// about max_bytes: safe to print whatever it came from.
std::string quoted(std::string_view text, std::size_t max_bytes);

// Position of the first byte that is not valid UTF-8, if any.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// The character (code point) at text[at], and `at` behind it. A byte that is not UTF-8 is U+FFFD.
char32_t next_character(std::string_view text, std::size_t& at);

// The candidate a person most likely meant, if one is close enough to suggest.
std::optional<std::string> closest(std::string_view typed, std::span<const std::string> candidates);

std::string to_hex(std::span<const unsigned char> bytes);

// True when both are equal; takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

std::string_view trimmed(std::string_view text);

// Of UTF-8: code points.
std::size_t count_characters(std::string_view text);

// At most so many bytes of it, cut between characters.
std::string_view beginning_of(std::string_view text, std::size_t max_bytes);

std::string join(std::span<const std::string> parts, std::string_view separator);

}  // namespace teamster
