#include "cli/commands/message/message_arguments.h"

#include "cli/framework/body.h"
#include "protocol/words/addresses.h"

namespace teamster::cli {

std::string sender_of(const Context& context, const Arguments& arguments) {
  return arguments.optional_value("from").value_or(context.acts_as_member() ? "" : kOperator);
}

Result<hub::MessageText> message_of(const Context& context, const Arguments& arguments) {
  hub::MessageText text;
  text.body = TRY(read_body(context, arguments.value("TEXT")));
  text.kind = arguments.optional_value("kind");
  text.summary = arguments.optional_value("summary");
  text.priority = arguments.optional_value("priority");
  return text;
}

std::optional<Receipt> mark_of(const Arguments& arguments) { return mark_from_string(arguments.value("mark")); }

std::vector<std::string> mark_choices() {
  std::vector<std::string> names;
  for (const Receipt mark : kMarks)
    if (mark != Receipt::delivered) names.emplace_back(to_string(mark));
  return names;
}

}  // namespace teamster::cli
