#include "cli/text/message_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {

std::vector<std::string> message_kinds() {
  return {"message",
          "task_assignment",
          "idle",
          "shutdown_request",
          "shutdown_response",
          "plan_approval_request",
          "plan_approval_response",
          "permission_request",
          "permission_response",
          "signal",
          "question",
          "answer"};
}

std::string message_text(const Context& context, const Json& message) {
  const bool interrupts = raw_text_in(message, "priority") == "interrupt";
  std::string text = context.palette().bold(
      fmt::format("#{} {} -> {}", text_in(message, "id"), text_in(message, "from"), text_in(message, "to")));
  text += fmt::format("  {}{}  {}  {}\n", text_in(message, "kind"), interrupts ? " (interrupt)" : "",
                      text_in(message, "receipt"), age_in(message, "sent", context.now()));
  if (const auto summary = text_in(message, "summary"); !summary.empty())
    text += fmt::format("  {}\n", context.palette().dim(summary));
  return text + printable_block(raw_text_in(message, "body"), "    ") + "\n";
}

std::string receipt_text(const Json& message) {
  std::string text = fmt::format("#{} {} -> {}  {}: {}\n", text_in(message, "id"), text_in(message, "from"),
                                 text_in(message, "to"), text_in(message, "kind"), text_in(message, "receipt"));
  for (const auto* when : {"sent", "delivered", "seen", "acted"})
    if (message.contains(when)) text += fmt::format("  {:<10} {}\n", when, text_in(message, when));
  return text + fmt::format("  {:<10} {}\n", "deliveries", number_in(message, "deliveries"));
}

}  // namespace teamster::cli
