#include "protocol/words/receipt.h"

#include <algorithm>

namespace teamster {
namespace {

constexpr std::array<std::string_view, kReceipts.size()> kReceiptNames = {"queued", "delivered", "seen", "acted",
                                                                          "dead"};

}  // namespace

std::string_view to_string(Receipt receipt) { return kReceiptNames[static_cast<std::size_t>(receipt)]; }

std::optional<Receipt> receipt_from_string(std::string_view name) {
  for (const Receipt receipt : kReceipts)
    if (to_string(receipt) == name) return receipt;
  return std::nullopt;
}

std::optional<Receipt> mark_from_string(std::string_view name) {
  const auto receipt = receipt_from_string(name);
  return receipt && std::find(kMarks.begin(), kMarks.end(), *receipt) != kMarks.end() ? receipt : std::nullopt;
}

}  // namespace teamster
