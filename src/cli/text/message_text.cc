#include "cli/text/message_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {

std::string message_text(const Context& context, const hub::Message& message) {
  std::string text = context.palette().bold(
      fmt::format("#{} {} -> {}", message.id.value, printable_line(message.from), printable_line(message.to)));
  text += fmt::format("  {}{}  {}  {}\n", printable_line(message.kind), message.interrupts() ? " (interrupt)" : "",
                      to_string(message.receipt), age_text(message.sent, context.now()));
  if (const std::string summary = printable_line(message.summary.value_or("")); !summary.empty())
    text += fmt::format("  {}\n", context.palette().dim(summary));
  return text + printable_block(message.body, "    ") + "\n";
}

std::string receipt_text(const hub::Message& message) {
  std::string text = fmt::format("#{} {} -> {}  {}: {}\n", message.id.value, printable_line(message.from),
                                 printable_line(message.to), printable_line(message.kind), to_string(message.receipt));
  const auto line = [&](std::string_view name, std::optional<WallTime> when) {
    if (when) text += fmt::format("  {:<10} {}\n", name, to_iso8601(*when));
  };
  line("sent", message.sent);
  line(to_string(Receipt::delivered), message.delivered);
  line(to_string(Receipt::seen), message.seen);
  line(to_string(Receipt::acted), message.acted);
  return text + fmt::format("  {:<10} {}\n", "deliveries", message.deliveries);
}

}  // namespace teamster::cli
