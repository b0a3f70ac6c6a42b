// Receipt: how far a message has come. Order matters: a receipt only moves forward, redelivery aside; `dead` is the
// end of one that nobody saw. Its number is what the store keeps, its name what the protocol says. Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace teamster {

enum class Receipt : std::int8_t { queued = 0, delivered = 1, seen = 2, acted = 3, dead = 4 };

// In the order of their numbers.
inline constexpr std::array kReceipts = {Receipt::queued, Receipt::delivered, Receipt::seen, Receipt::acted,
                                         Receipt::dead};
// What its receiver can say about a message.
inline constexpr std::array kMarks = {Receipt::delivered, Receipt::seen, Receipt::acted};

std::string_view to_string(Receipt receipt);
std::optional<Receipt> receipt_from_string(std::string_view name);
// nullopt for the name of a receipt that is no mark, too.
std::optional<Receipt> mark_from_string(std::string_view name);

// Whether its receiver has something to do about it still.
constexpr bool is_open(Receipt receipt) { return receipt < Receipt::acted; }

}  // namespace teamster
