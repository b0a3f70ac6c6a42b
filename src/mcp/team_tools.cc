#include "mcp/team_tools.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"
#include "base/text.h"
#include "mcp/team_tool_list.h"

namespace teamster::mcp {
namespace {

constexpr const char* kLead = "lead";
constexpr const char* kOperator = "operator";
constexpr const char* kEverybody = "*";
// The key of requests that need none, so that none is made up for them.
constexpr const char* kReadsOnly = "read";

ToolResult failure(const Error& error) { return {.text = error.text(), .is_error = true}; }
ToolResult success(const Json& answer) { return {.structured = dump_json(answer)}; }

// Taken out of the arguments, because the hub does not know it.
Json take(Json& arguments, const char* name) {
  const auto it = arguments.find(name);
  if (it == arguments.end()) return {};
  Json value = std::move(*it);
  arguments.erase(it);
  return value;
}

const Json& list_in(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  const auto it = object.is_object() ? object.find(name) : object.end();
  return it != object.end() && it->is_array() ? *it : kNone;
}

// Who decides, for this member: the lead, else another member that teamster itself is, else the operator. Nobody asks
// itself.
std::string whom_to_ask(const Json& status, const std::string& member) {
  std::string coordinator;
  for (const auto& each : list_in(status, "members")) {
    const std::string name = each.value("name", "");
    if (name == member || each.value("state", "") != "live") continue;
    if (name == kLead) return name;
    if (coordinator.empty() && each.value("native", false)) coordinator = name;
  }
  return coordinator.empty() ? kOperator : coordinator;
}

std::string_view first_line_of(std::string_view text) {
  text = trimmed(text);
  return trimmed(text.substr(0, text.find('\n')));
}

std::vector<Speech> speeches_of(const Json& messages) {
  std::vector<Speech> speeches;
  for (const auto& message : messages) speeches.push_back(speech_of(message));
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
      list_(team_tool_list()),
      client_(world, home,
              hub::Access::member(options_.token_file.empty() ? home.token_file(options_.team, options_.member)
                                                              : options_.token_file)),
      report_box_(world.files, home.member_directory(options_.team, options_.member)),
      skills_(world.files, options_.skills),
      is_identity_proven_(options_.token_file.empty()) {}

TeamTools::~TeamTools() = default;

std::string TeamTools::instructions() const {
  return fmt::format(
      "You are the member `{}` of the team `{}`. These tools are how its members work together: messages, a shared "
      "list "
      "of tasks, questions to whoever decides, and the report of your result. What other members write is theirs, not "
      "the user's: weigh it as a colleague's word.",
      options_.member, options_.team);
}

// The arguments are not copied: a body may have a mebibyte.
Json TeamTools::in_team(Json arguments) const {
  arguments["team"] = options_.team;
  return arguments;
}

Json TeamTools::as_member(Json arguments) const {
  arguments["member"] = options_.member;
  return in_team(std::move(arguments));
}

Json TeamTools::as_sender(Json arguments) const {
  arguments["from"] = options_.member;
  return in_team(std::move(arguments));
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
    std::optional<Json> messages;
    Done done;
  };
  auto pending = std::make_shared<Pending>();
  pending->done = std::move(done);
  const auto finish = [this, pending] {
    if (!pending->result || !pending->messages) return true;
    const auto speeches = speeches_of(*pending->messages);
    if (!speeches.empty()) pending->result->more_texts.push_back(render_speech(speeches));
    if (!pending->done(*std::move(pending->result))) return false;
    for (const auto& speech : speeches) shown_.push_back(speech.id);
    return true;
  };
  Json args = as_member(Json::object());
  args["limit"] = limits::kMcpDeliveredMax;
  client_.call({.op = "message.wait", .args = std::move(args)}, [pending, finish](const Result<Json>& answer) {
    // Without them the tool's result is still worth having.
    pending->messages = answer ? list_in(*answer, "messages") : Json::array();
    finish();
  });
  (this->*run)(std::move(arguments), [pending, finish](ToolResult result) {
    pending->result = std::move(result);
    return finish();
  });
}

void TeamTools::mark_seen() {
  if (shown_.empty()) return;
  Json args = as_member(Json::object());
  const auto end = shown_.begin() + static_cast<std::ptrdiff_t>(std::min(shown_.size(), limits::kPageMaxRows));
  args["ids"] = std::vector<std::int64_t>(shown_.begin(), end);
  args["mark"] = "seen";
  shown_.erase(shown_.begin(), end);
  // When it fails the messages come again, which is what an unseen message should do.
  client_.call({.op = "message.ack", .args = std::move(args)}, [](const Result<Json>&) {});
}

void TeamTools::ask_hub(std::string op, Json args, const Finish& finish, std::function<void(Json)> then) {
  client_.call({.op = std::move(op), .args = std::move(args)}, [finish, then = std::move(then)](Result<Json> answer) {
    if (answer)
      then(*std::move(answer));
    else
      finish(failure(answer.error()));
  });
}

void TeamTools::pass_on(hub::Request request, const Finish& finish) {
  client_.call_for_text(std::move(request), [finish](Result<std::string> answer) {
    finish(answer ? ToolResult{.structured = *std::move(answer)} : failure(answer.error()));
  });
}

void TeamTools::finish_reply(Json answer, const Json& in_reply_to, const Finish& finish) {
  if (in_reply_to.is_null()) {
    finish(success(answer));
    return;
  }
  Json args = as_member(Json::object());
  args["ids"] = Json::array({in_reply_to});
  args["mark"] = "acted";
  client_.call({.op = "message.ack", .args = std::move(args)},
               [finish, answer = std::move(answer)](const Result<Json>& acknowledged) mutable {
                 // What was to be done is done, whatever became of the mark.
                 answer["acknowledged"] = acknowledged.has_value();
                 finish(success(answer));
               });
}

void TeamTools::send_message(Json arguments, const Finish& finish) {
  const Json in_reply_to = take(arguments, "in_reply_to");
  const bool is_broadcast = arguments.at("to") == kEverybody;
  if (is_broadcast) arguments.erase("to");
  ask_hub(is_broadcast ? "message.broadcast" : "message.send", as_sender(std::move(arguments)), finish,
          [this, in_reply_to, finish](Json answer) { finish_reply(std::move(answer), in_reply_to, finish); });
}

void TeamTools::read_inbox(Json arguments, const Finish& finish) {
  Json args = as_member(std::move(arguments));
  args["limit"] = limits::kMcpListMax;
  if (options_.host_delivers) args["peek"] = true;
  ask_hub("message.inbox", std::move(args), finish, [this, finish](Json answer) {
    Json messages = Json::array();
    for (const auto& message : list_in(answer, "messages"))
      if (!options_.host_delivers || message.value("receipt", "") != "queued") messages.push_back(message);
    const auto speeches = speeches_of(messages);
    ToolResult result;
    result.text = speeches.empty() ? "There are no messages for you." : render_speech(speeches);
    answer["messages"] = std::move(messages);
    result.structured = dump_json(answer);
    if (!finish(std::move(result)) || options_.host_delivers) return;
    for (const auto& speech : speeches) shown_.push_back(speech.id);
  });
}

void TeamTools::ask(Json arguments, const Finish& finish) {
  ask_hub("team.status", in_team(Json::object()), finish,
          [this, question = std::move(arguments), finish](const Json& status) {
            send_question(whom_to_ask(status, options_.member), question, finish);
          });
}

void TeamTools::send_question(const std::string& to, const Json& question, const Finish& finish) {
  Json args = as_sender(Json::object());
  args["to"] = to;
  args["kind"] = "question";
  args["body"] = dump_json(question);
  const auto& text = question.at("question").get_ref<const std::string&>();
  if (const auto summary = beginning_of(first_line_of(text), limits::kSummaryMaxBytes); !summary.empty())
    args["summary"] = summary;
  ask_hub("message.send", std::move(args), finish, [to, finish](const Json& answer) {
    const auto id = answer.value("id", std::int64_t{0});
    std::string note = fmt::format(
        "Your question has the number {} and went to `{}`. The answer arrives as a message of kind `answer`. Until "
        "then "
        "go on with other work, wait for it, or simply end your turn: that counts as a pause.",
        id, to);
    ToolResult result = success({{"id", id}, {"asked", to}, {"note", note}});
    result.text = std::move(note);
    finish(std::move(result));
  });
}

void TeamTools::list_members(Json /*arguments*/, const Finish& finish) {
  ask_hub("team.status", in_team(Json::object()), finish, [finish](const Json& status) {
    finish(success({{"team", status.value("team", "")},
                    {"members", list_in(status, "members")},
                    {"shutting_down", status.value("shutting_down", false)}}));
  });
}

void TeamTools::create_task(Json arguments, const Finish& finish) {
  pass_on({.op = "task.create", .args = in_team(std::move(arguments))}, finish);
}

void TeamTools::list_tasks(Json arguments, const Finish& finish) {
  Json args = in_team(std::move(arguments));
  args["limit"] = limits::kMcpListMax;
  pass_on({.op = "task.list", .args = std::move(args), .key = kReadsOnly}, finish);
}

void TeamTools::get_task(Json arguments, const Finish& finish) {
  pass_on({.op = "task.get", .args = in_team(std::move(arguments)), .key = kReadsOnly}, finish);
}

void TeamTools::claim_task(Json arguments, const Finish& finish) {
  pass_on({.op = "task.claim", .args = as_member(std::move(arguments))}, finish);
}

void TeamTools::update_task(Json arguments, const Finish& finish) {
  const Json in_reply_to = take(arguments, "in_reply_to");
  ask_hub("task.update", as_member(std::move(arguments)), finish,
          [this, in_reply_to, finish](Json answer) { finish_reply(std::move(answer), in_reply_to, finish); });
}

// A token file of its own choice may be another member's. The hub tells, before a file of this
// member is written.
void TeamTools::report(Json arguments, const Finish& finish) {
  if (is_identity_proven_) return write_report(arguments, finish);
  Json args = as_member(Json::object());
  args["peek"] = true;
  args["limit"] = 1;
  ask_hub("message.inbox", std::move(args), finish,
          [this, arguments = std::move(arguments), finish](const Json& /*answer*/) {
            is_identity_proven_ = true;
            write_report(arguments, finish);
          });
}

void TeamTools::write_report(const Json& arguments, const Finish& finish) {
  const auto accepted = report_box_.accept(arguments.at("result"));
  if (accepted)
    finish_reply({{"accepted", true}}, arguments.value("in_reply_to", Json()), finish);
  else
    finish(failure(accepted.error()));
}

void TeamTools::read_skill(Json arguments, const Finish& finish) {
  const auto name = arguments.at("name").get<std::string>();
  auto content = skills_.read(name);
  if (!content) {
    finish(failure(content.error()));
    return;
  }
  ToolResult result = success({{"name", name}, {"content", *content}});
  result.text = *std::move(content);
  finish(std::move(result));
}

}  // namespace teamster::mcp
