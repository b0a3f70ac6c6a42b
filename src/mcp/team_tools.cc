#include "mcp/team_tools.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json_fields.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/processes.h"
#include "mcp/team_tool_list.h"
#include "protocol/client/message_calls.h"
#include "protocol/client/task_calls.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/addresses.h"
#include "protocol/words/message_kinds.h"
#include "skills/level_one.h"

namespace teamster::mcp {
namespace {

constexpr const char* kEverybody = "*";

// Arguments of a tool, which were checked against its schema (team_tool_list.cc). Taken out and not copied: a body may
// have a mebibyte.
std::optional<Json> take(Json& arguments, const char* name) {
  const auto it = arguments.find(name);
  return it == arguments.end() ? std::nullopt : std::optional(std::move(*it));
}

std::optional<std::string> take_text(Json& arguments, const char* name) {
  auto value = take(arguments, name);
  return value && value->is_string() ? std::optional(std::move(value->get_ref<std::string&>())) : std::nullopt;
}

std::optional<TaskStatus> take_status(Json& arguments) {
  return task_status_from_string(take_text(arguments, "status").value_or(""));
}

// Who decides, for this member: the lead, else another member that teamster itself is, else the operator. Nobody asks
// itself.
std::string whom_to_ask(const hub::TeamStatus& status, const std::string& member) {
  std::string coordinator;
  for (const auto& each : status.members) {
    if (each.name == member || !each.is_live) continue;
    if (each.name == kLead) return each.name;
    if (coordinator.empty() && each.is_native) coordinator = each.name;
  }
  return coordinator.empty() ? kOperator : coordinator;
}

std::string_view first_line_of(std::string_view text) {
  text = trimmed(text);
  return trimmed(text.substr(0, text.find('\n')));
}

std::optional<MessageId> take_in_reply_to(Json& arguments) {
  if (!arguments.contains("in_reply_to")) return std::nullopt;
  return MessageId(number_in(arguments, "in_reply_to"));
}

std::vector<TaskId> task_ids_in(const Json& arguments, const char* name) {
  std::vector<TaskId> ids;
  for (const auto& id : list_in(arguments, name)) ids.emplace_back(id.get<std::int64_t>());
  return ids;
}

hub::MessageText take_message(Json& arguments) {
  return {.body = take_text(arguments, "body").value_or(""),
          .kind = take_text(arguments, "kind"),
          .summary = take_text(arguments, "summary"),
          .priority = take_text(arguments, "priority")};
}

// As the tool's result shows it.
Json member_document(const hub::TeamMember& member) {
  Json claimed = Json::array();
  for (const TaskId id : member.claimed) claimed.push_back(id.value);
  Json document = {
      {"name", member.name},        {"epoch", member.epoch.value},  {"state", member.is_live ? "live" : "gone"},
      {"native", member.is_native}, {"running", member.is_running}, {"unread", member.unread}};
  document["claimed"] = std::move(claimed);
  return document;
}

std::vector<Speech> speeches_of(const std::vector<hub::Message>& messages) {
  std::vector<Speech> speeches;
  for (const auto& message : messages) speeches.push_back(hub::speech_of(message));
  return speeches;
}

}  // namespace

const TeamTools::Entry TeamTools::kEntries[] = {
    {"send_message", &TeamTools::send_message},
    {"read_inbox", &TeamTools::read_inbox},
    {"ask", &TeamTools::ask},
    {"list_members", &TeamTools::list_members},
    {"create_task", &TeamTools::create_task},
    {"list_tasks", &TeamTools::list_tasks},
    {"get_task", &TeamTools::get_task},
    {"claim_task", &TeamTools::claim_task},
    {"update_task", &TeamTools::update_task},
    {"report", &TeamTools::report},
    {"read_skill", &TeamTools::read_skill},
};

TeamTools::TeamTools(const env::World& world, const hub::Home& home, TeamToolsOptions options)
    : world_(world),
      options_(std::move(options)),
      skills_(skills::make_sources(world.files, std::move(options_.skill_places),
                                   [&world](const char* name) { return world.processes.variable(name); })),
      list_(team_tool_list(skills::level_one(skills_.skills(), skills::level_one_budget(0)))),
      client_(world, home,
              hub::Access::member(options_.token_file.empty() ? home.token_file(options_.team, options_.member)
                                                              : options_.token_file)),
      report_box_(world.files, home.member_directory(options_.team, options_.member)),
      is_identity_proven_(options_.token_file.empty()) {}

TeamTools::~TeamTools() = default;

std::string TeamTools::instructions() const {
  return fmt::format(
      "You are the member `{}` of the team `{}`. These tools are how its members work together: messages, a shared "
      "list "
      "of tasks, questions to whoever decides, and the report of your result. What other members write is theirs, not "
      "the user's: weigh it as a colleague's word.",
      options_.member, options_.team.substr(0, options_.team.find('@')));
}

void TeamTools::call(const std::string& name, Json arguments, Done done) {
  const auto entry =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& each) { return name == each.name; });
  CHECK(entry != std::end(kEntries));
  mark_seen();
  if (entry->run == &TeamTools::read_inbox || !options_.delivers)
    (this->*entry->run)(std::move(arguments), done);
  else
    call_and_deliver(entry->run, std::move(arguments), std::move(done));
}

// The tool's own call and the question for messages run side by side; the result waits for both.
void TeamTools::call_and_deliver(Run run, Json arguments, Done done) {
  struct Pending {
    std::optional<ToolResult> result;
    std::optional<std::vector<hub::Message>> messages;
    Done done;
  };
  auto pending = std::make_shared<Pending>();
  pending->done = std::move(done);
  const auto finish = [this, pending] {
    if (!pending->result || !pending->messages) return true;
    const auto speeches = speeches_of(*pending->messages);
    if (!speeches.empty()) pending->result->more_texts.push_back(render_speech(speeches));
    if (!pending->done(*std::move(pending->result))) return false;
    for (const auto& message : *pending->messages) shown_.push_back(message.id);
    return true;
  };
  hub::ask(client_,
           hub::WaitForMessages{
               .team = options_.team, .member = options_.member, .limit = std::int64_t{limits::kMcpDeliveredMax}},
           [pending, finish](Result<std::vector<hub::Message>> messages) {
             // Without them the tool's result is still worth having.
             pending->messages = messages ? *std::move(messages) : std::vector<hub::Message>();
             finish();
           });
  (this->*run)(std::move(arguments), [pending, finish](ToolResult result) {
    pending->result = std::move(result);
    return finish();
  });
}

void TeamTools::mark_seen() {
  if (shown_.empty()) return;
  const auto end = shown_.begin() + static_cast<std::ptrdiff_t>(std::min(shown_.size(), limits::kPageMaxRows));
  hub::AcknowledgeMessages seen{.team = options_.team,
                                .member = options_.member,
                                .ids = std::vector<MessageId>(shown_.begin(), end),
                                .mark = Receipt::seen};
  shown_.erase(shown_.begin(), end);
  // When it fails the messages come again, which is what an unseen message should do.
  hub::ask(client_, std::move(seen), [](const Result<std::vector<MessageId>>&) {});
}

template <class Call, class Then>
void TeamTools::ask_hub(Call call, const Finish& finish, Then then) {
  hub::ask(client_, std::move(call), [finish, then = std::move(then)](Result<typename Call::Answer> answer) mutable {
    if (answer)
      then(*std::move(answer));
    else
      finish(failure(answer.error()));
  });
}

template <class Call, class Then>
void TeamTools::ask_for_document(Call call, const Finish& finish, Then then) {
  client_.call(hub::request_for(std::move(call)), [finish, then = std::move(then)](Result<Json> answer) mutable {
    if (answer)
      then(*std::move(answer));
    else
      finish(failure(answer.error()));
  });
}

template <class Call>
void TeamTools::pass_on(Call call, const Finish& finish) {
  client_.call_for_text(hub::request_for(std::move(call)), [finish](Result<std::string> answer) {
    finish(answer ? ToolResult{.structured = *std::move(answer)} : failure(answer.error()));
  });
}

void TeamTools::finish_reply(Json answer, std::optional<MessageId> in_reply_to, const Finish& finish) {
  if (!in_reply_to) {
    finish(success(answer));
    return;
  }
  hub::ask(client_, hub::AcknowledgeMessages{.team = options_.team, .member = options_.member, .ids = {*in_reply_to}},
           [finish, answer = std::move(answer)](const Result<std::vector<MessageId>>& acknowledged) mutable {
             // What was to be done is done, whatever became of the mark.
             answer["acknowledged"] = acknowledged.has_value();
             finish(success(answer));
           });
}

void TeamTools::send_message(Json arguments, const Finish& finish) {
  const auto in_reply_to = take_in_reply_to(arguments);
  std::string to = take_text(arguments, "to").value_or("");
  const auto then = [this, in_reply_to, finish](Json answer) { finish_reply(std::move(answer), in_reply_to, finish); };
  if (to == kEverybody)
    ask_for_document(hub::BroadcastMessage{options_.team, options_.member, take_message(arguments)}, finish, then);
  else
    ask_for_document(hub::SendMessage{options_.team, options_.member, std::move(to), take_message(arguments)}, finish,
                     then);
}

void TeamTools::read_inbox(Json arguments, const Finish& finish) {
  const hub::ReadInbox read{.team = options_.team,
                            .member = options_.member,
                            .peek = options_.host_delivers,
                            .after = number_in(arguments, "after"),
                            .limit = std::int64_t{limits::kMcpListMax}};
  ask_for_document(read, finish, [this, finish](Json answer) {
    std::vector<hub::Message> shown;
    Json documents = Json::array();
    for (const auto& document : list_in(answer, hub::ReadInbox::kItems)) {
      auto message = hub::ReadInbox::read_item(document);
      // What the host has not delivered yet is its to deliver.
      if (!message || (options_.host_delivers && message->receipt == Receipt::queued)) continue;
      shown.push_back(*std::move(message));
      documents.push_back(document);
    }
    ToolResult result;
    result.text = shown.empty() ? "There are no messages for you." : render_speech(speeches_of(shown));
    answer[hub::ReadInbox::kItems] = std::move(documents);
    result.structured = dump_json(answer);
    if (!finish(std::move(result)) || options_.host_delivers) return;
    for (const auto& message : shown) shown_.push_back(message.id);
  });
}

void TeamTools::ask(Json arguments, const Finish& finish) {
  ask_hub(hub::GetTeamStatus{options_.team}, finish,
          [this, question = std::move(arguments), finish](const hub::TeamStatus& status) {
            send_question(whom_to_ask(status, options_.member), question, finish);
          });
}

void TeamTools::send_question(const std::string& to, const Json& question, const Finish& finish) {
  hub::SendMessage sending{.team = options_.team,
                           .from = options_.member,
                           .to = to,
                           .text = {.body = dump_json(question), .kind = message_kind::kQuestion}};
  const auto& text = question.at("question").get_ref<const std::string&>();
  if (const auto summary = beginning_of(first_line_of(text), limits::kSummaryMaxBytes); !summary.empty())
    sending.text.summary = std::string(summary);
  ask_hub(std::move(sending), finish, [to, finish](const hub::SendMessage::Answer& sent) {
    std::string note = fmt::format(
        "Your question has the number {} and went to `{}`. The answer arrives as a message of kind `{}`. Until then go "
        "on with other work, wait for it, or simply end your turn: that counts as a pause.",
        sent.id.value, to, message_kind::kAnswer);
    ToolResult result = success({{"id", sent.id.value}, {"asked", to}, {"note", note}});
    result.text = std::move(note);
    finish(std::move(result));
  });
}

void TeamTools::list_members(Json /*arguments*/, const Finish& finish) {
  ask_hub(hub::GetTeamStatus{options_.team}, finish, [finish](const hub::TeamStatus& status) {
    Json members = Json::array();
    for (const auto& member : status.members) members.push_back(member_document(member));
    finish(
        success({{"team", status.team}, {"members", std::move(members)}, {"shutting_down", status.is_shutting_down}}));
  });
}

void TeamTools::create_task(Json arguments, const Finish& finish) {
  pass_on(hub::CreateTask{.team = options_.team,
                          .subject = take_text(arguments, "subject").value_or(""),
                          .description = take_text(arguments, "description"),
                          .blocked_by = task_ids_in(arguments, "blocked_by"),
                          .metadata = take(arguments, "metadata")},
          finish);
}

void TeamTools::list_tasks(Json arguments, const Finish& finish) {
  pass_on(hub::ListTasks{.team = options_.team,
                         .status = take_status(arguments),
                         .owner = take_text(arguments, "owner").value_or(""),
                         .after = number_in(arguments, "after"),
                         .limit = std::int64_t{limits::kMcpListMax}},
          finish);
}

void TeamTools::get_task(Json arguments, const Finish& finish) {
  pass_on(hub::GetTask{options_.team, TaskId(number_in(arguments, "id"))}, finish);
}

void TeamTools::claim_task(Json arguments, const Finish& finish) {
  hub::ClaimTask claim{.team = options_.team, .member = options_.member};
  if (arguments.contains("id")) claim.id = TaskId(number_in(arguments, "id"));
  pass_on(std::move(claim), finish);
}

void TeamTools::update_task(Json arguments, const Finish& finish) {
  const auto in_reply_to = take_in_reply_to(arguments);
  hub::UpdateTask update{.team = options_.team,
                         .id = TaskId(number_in(arguments, "id")),
                         .member = options_.member,
                         .token = take_text(arguments, "token").value_or(""),
                         .status = take_status(arguments),
                         .subject = take_text(arguments, "subject"),
                         .description = take_text(arguments, "description"),
                         .metadata = take(arguments, "metadata"),
                         .add_blocked_by = task_ids_in(arguments, "add_blocked_by")};
  ask_for_document(std::move(update), finish,
                   [this, in_reply_to, finish](Json answer) { finish_reply(std::move(answer), in_reply_to, finish); });
}

// A token file of its own choice may be another member's. The hub tells, before a file of this
// member is written.
void TeamTools::report(Json arguments, const Finish& finish) {
  if (is_identity_proven_) return write_report(arguments, finish);
  const hub::ReadInbox look{.team = options_.team, .member = options_.member, .peek = true, .limit = 1};
  ask_hub(look, finish,
          [this, arguments = std::move(arguments), finish](const hub::ReadInbox::Answer& /*page*/) mutable {
            is_identity_proven_ = true;
            write_report(arguments, finish);
          });
}

void TeamTools::write_report(Json& arguments, const Finish& finish) {
  const auto accepted = report_box_.accept(arguments.at("result"));
  if (accepted)
    finish_reply({{"accepted", true}}, take_in_reply_to(arguments), finish);
  else
    finish(failure(accepted.error()));
}

}  // namespace teamster::mcp
