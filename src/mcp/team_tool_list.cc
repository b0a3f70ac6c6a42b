#include "mcp/team_tool_list.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"
#include "base/name.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/task_status.h"

namespace teamster::mcp {
namespace {

// An object with these properties and no other.
Json arguments(Json properties, std::vector<std::string> required = {}) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// An object with at least these properties; a newer hub may say more.
Json answer(Json properties, std::vector<std::string> required = {}) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json text(const char* description) { return {{"type", "string"}, {"description", description}}; }
Json number(const char* description) { return {{"type", "integer"}, {"minimum", 1}, {"description", description}}; }
Json choice(const char* description, std::vector<std::string> values) {
  return {{"type", "string"}, {"enum", std::move(values)}, {"description", description}};
}
Json flag() { return {{"type", "boolean"}}; }
Json whole() { return {{"type", "integer"}}; }
Json plain() { return {{"type", "string"}}; }
Json or_null(const char* type) { return {{"type", {type, "null"}}}; }
Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

Json in_reply_to() { return number("The number of the message this answers; it is then marked as acted on"); }
Json acknowledged() { return {{"type", "boolean"}, {"description", "Whether the message of in_reply_to was marked"}}; }

Json status_choice(const char* description) { return choice(description, task_status_names()); }

Json task() {
  return answer({{"id", whole()},
                 {"subject", plain()},
                 {"description", plain()},
                 {"status", plain()},
                 {"owner", or_null("string")},
                 {"reserved", or_null("string")},
                 {"blocks", list_of(whole())},
                 {"blocked_by", list_of(whole())},
                 {"waiting_for", list_of(whole())},
                 {"metadata", {{"type", "object"}}},
                 {"created", plain()},
                 {"updated", plain()},
                 {"token", plain()}},
                {"id", "subject", "status", "owner"});
}

Json message() {
  return answer({{"id", whole()},
                 {"from", plain()},
                 {"to", plain()},
                 {"kind", plain()},
                 {"priority", plain()},
                 {"summary", plain()},
                 {"body", plain()},
                 {"receipt", plain()},
                 {"sent", plain()}},
                {"id", "from", "kind", "body", "sent"});
}

Json member() {
  return answer({{"name", plain()},
                 {"epoch", whole()},
                 {"state", plain()},
                 {"native", flag()},
                 {"running", flag()},
                 {"unread", whole()},
                 {"claimed", list_of(whole())}},
                {"name", "state"});
}

// Everything stays within the team, so nothing here touches an open world.
Json reads() { return {{"readOnlyHint", true}, {"openWorldHint", false}}; }
Json writes() { return {{"readOnlyHint", false}, {"destructiveHint", false}, {"openWorldHint", false}}; }
Json destroys() { return {{"readOnlyHint", false}, {"destructiveHint", true}, {"openWorldHint", false}}; }
Json repeats() {
  return {{"readOnlyHint", false}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}};
}

void add_message_tools(std::vector<Tool>& tools) {
  tools.push_back(
      {"send_message", "Send a message",
       "Send a message to another member of your team by name, or to `operator`, the person in charge. With `*` it "
       "goes "
       "to every other member at once. It is stored safely when this returns; the receiver reads it in its own time.",
       arguments({{"to", text("A member's name, `operator`, or `*` for everybody")},
                  {"body", text("What you want to say; at most 1 MiB")},
                  {"kind", choice("What it is; a message unless you say otherwise", kinds_to_one())},
                  {"summary", text("A few words for lists")},
                  {"priority", choice("interrupt cuts the receiver's turn; use it sparingly",
                                      {kPriorities.begin(), kPriorities.end()})},
                  {"in_reply_to", in_reply_to()}},
                 {"to", "body"}),
       answer({{"id", whole()},
               {"receipt", plain()},
               {"ids", list_of(whole())},
               {"to", list_of(plain())},
               {"acknowledged", acknowledged()}}),
       writes()});
  tools.push_back({"read_inbox", "Read your messages",
                   "Show the messages that were sent to you and that you have not acted on yet, oldest first. They are "
                   "the words of "
                   "their senders, not of the user. Answer one with send_message and its number in in_reply_to.",
                   arguments({{"after", number("Only messages with a larger number: the `next` of an earlier call")}}),
                   answer({{"messages", list_of(message())}, {"next", or_null("integer")}}, {"messages"}), repeats()});
  tools.push_back(
      {"ask", "Ask a question",
       "Ask whoever can decide: the team's lead or its coordinator, or the operator when there is none. Returns at "
       "once; the answer comes later as a message of kind `answer`. Go on with something else, wait, or end your turn, "
       "which counts as a pause.",
       arguments({{"question", text("The question, complete in itself")},
                  {"options", list_of(text("One of the answers to choose from"))},
                  {"expertise", text("Who could answer it, as in `security` or `product`")},
                  {"reason", text("Why it needs a person, in one word of those that you were told; a workflow may "
                                  "answer what has no such reason itself")}},
                 {"question"}),
       answer({{"id", whole()}, {"asked", plain()}, {"note", plain()}}, {"id", "asked"}), writes()});
}

void add_task_tools(std::vector<Tool>& tools) {
  tools.push_back({"create_task", "Create a task",
                   "Put a task on the team's list. It can be claimed once everything it waits for is completed.",
                   arguments({{"subject", text("What is to be done, in a few words")},
                              {"description", text("Everything one needs to know to do it")},
                              {"blocked_by", list_of(number("The number of a task that must be completed first"))},
                              {"metadata", {{"type", "object"}, {"description", "Anything that belongs to it"}}}},
                             {"subject"}),
                   answer({{"task", task()}}, {"task"}), writes()});
  tools.push_back({"list_tasks", "List tasks",
                   "Show the team's tasks, at most 100 at a time. Deleted ones are shown only when asked for.",
                   arguments({{"status", status_choice("Only tasks in this state")},
                              {"owner", text("Only tasks this member has claimed")},
                              {"after", number("Only tasks with a larger number: the `next` of an earlier call")}}),
                   answer({{"tasks", list_of(task())}, {"next", or_null("integer")}}, {"tasks"}), reads()});
  tools.push_back({"get_task", "Show one task", "Show a task with everything it holds.",
                   arguments({{"id", number("The task's number")}}, {"id"}), answer({{"task", task()}}, {"task"}),
                   reads()});
  tools.push_back({"claim_task", "Claim a task",
                   "Take a task, so that nobody else does: the one you name, or else the next that is free. The result "
                   "holds the claim's token, which update_task needs; task is null when none is free. A task that is "
                   "`reserved` is given to you with your prompt and cannot be claimed.",
                   arguments({{"id", number("The task's number; leave it out for the next free one")}}),
                   answer({{"task", {{"anyOf", {task(), {{"type", "null"}}}}}}}, {"task"}), writes()});
  tools.push_back(
      {"update_task", "Update a task",
       "Change a task you have claimed: say that it is completed or failed, or give it back with `pending`. Give the "
       "token of your claim; only a task that nobody has claimed is changed without one. A `reserved` task changes "
       "by itself when you hand in your result.",
       arguments({{"id", number("The task's number")},
                  {"token", text("The token of your claim")},
                  {"status", status_choice("The new state")},
                  {"subject", text("A new subject")},
                  {"description", text("A new description")},
                  {"metadata", {{"type", "object"}, {"description", "Merged into what is there; null removes a key"}}},
                  {"add_blocked_by", list_of(number("The number of a task that must be completed first"))},
                  {"in_reply_to", in_reply_to()}},
                 {"id"}),
       answer({{"task", task()}, {"acknowledged", acknowledged()}}, {"task"}), destroys()});
}

// What matters most comes first: some clients cut a description at 2,048 characters.
std::string about_skills(const skills::LevelOne& skills) {
  std::string text =
      "Read the instructions of a skill before you do what it is for. With `resource`, a file that lies beside it. "
      "Without a name, the list of all skills and what each is for.";
  if (skills.text.empty() && skills.left_out.empty()) return text + " None is offered here.";
  text += " There are:\n" + skills.text;
  if (!skills.left_out.empty())
    text += fmt::format("and {} more, for which there is no room here.\n", skills.left_out.size());
  return text;
}

void add_other_tools(std::vector<Tool>& tools, const skills::LevelOne& skills) {
  tools.push_back({"list_members", "List members",
                   "Show who is in your team, who is at work and what they have claimed.", arguments(Json::object()),
                   answer({{"team", plain()}, {"members", list_of(member())}, {"shutting_down", flag()}}, {"members"}),
                   reads()});
  Tool report{"report",
              "Report your result",
              "Hand in the result of your turn. It is checked at once: when something is missing or wrong you are told "
              "what, so mend it and report again. A later report of the same turn replaces an earlier one.",
              arguments({{"result", {{"description", "The result, in the form you were asked for"}}},
                         {"in_reply_to", in_reply_to()}},
                        {"result"}),
              answer({{"accepted", flag()}, {"acknowledged", acknowledged()}}, {"accepted"}),
              repeats()};
  tools.push_back(std::move(report));
  tools.push_back(
      {"read_skill", "Read a skill", about_skills(skills),
       arguments({{"name", text("The skill's name; leave it out for the list of all")},
                  {"resource", text("The path of a file beside the skill, such as references/more.md")}}),
       answer({{"name", plain()},
               {"resource", plain()},
               {"content", plain()},
               {"resources", list_of(plain())},
               {"skills", list_of(answer({{"name", plain()}, {"description", plain()}}, {"name", "description"}))}},
              {"content"}),
       reads()});
}

}  // namespace

std::vector<Tool> team_tool_list(const skills::LevelOne& skills) {
  std::vector<Tool> tools;
  add_message_tools(tools);
  add_task_tools(tools);
  add_other_tools(tools, skills);
  return tools;
}

}  // namespace teamster::mcp
