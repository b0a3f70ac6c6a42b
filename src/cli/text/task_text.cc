#include "cli/text/task_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"

namespace teamster::cli {

std::string task_text(const Context& context, const hub::Task& task) {
  std::string text = context.palette().bold(fmt::format("{} {}", task.id.value, printable_line(task.subject))) + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12} {}\n", name, value);
  };
  line("status", context.palette().status(to_string(task.status)));
  line("owner", printable_line(task.owner.value_or("")));
  line("token", printable_line(task.token));
  line("blocked by", joined_ids(task.blocked_by, ""));
  line("waiting for", joined_ids(task.waiting_for, ""));
  line("blocks", joined_ids(task.blocks, ""));
  if (!task.metadata.empty()) line("metadata", printable_line(dump_json(task.metadata)));
  line("updated", fmt::format("{} ago", age_text(task.updated, context.now())));
  return text + printable_block(task.description, "    ");
}

}  // namespace teamster::cli
