#include "cli/text/task_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {

std::vector<std::string> task_statuses() { return {"pending", "in_progress", "completed", "failed", "deleted"}; }

std::string task_text(const Context& context, const Json& task) {
  std::string text = context.palette().bold(fmt::format("{} {}", text_in(task, "id"), text_in(task, "subject"))) + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("status", context.palette().status(text_in(task, "status")));
  line("owner", text_in(task, "owner"));
  line("token", text_in(task, "token"));
  line("blocked by", joined_in(task, "blocked_by", ""));
  line("waiting for", joined_in(task, "waiting_for", ""));
  line("blocks", joined_in(task, "blocks", ""));
  if (const Json& metadata = object_in(task, "metadata"); !metadata.empty())
    line("metadata", printable_line(dump_json(metadata)));
  line("updated", fmt::format("{} ago", age_in(task, "updated", context.now())));
  return text + printable_block(raw_text_in(task, "description"), "    ");
}

}  // namespace teamster::cli
