#include "team/mailbox.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/text.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/message_records.h"
#include "protocol/words/receipt.h"
#include "team/lifecycle.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

// The part of a message that does not depend on its receiver.
struct MessageDraft {
  store::TeamRow team;
  store::MemberRow sender;
  std::string kind;
  std::string priority;
  std::string_view body;  // in the arguments
  std::optional<std::string> summary;
  const Json* schema = nullptr;  // in the arguments
  Json response;                 // the answer in a shutdown_response
};

Result<std::string> checked_kind(const Json& args, const store::MemberRow& sender, bool is_broadcast) {
  auto name = TRY(optional_string_field(args, "kind"))
                  .value_or(is_broadcast ? message_kind::kBroadcast : message_kind::kMessage);
  const MessageKind* kind = find_message_kind(name);
  if (kind == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& each : kMessageKinds) known.push_back(each.name);
    return fail(Code::invalid, fmt::format("{} is not a kind of message", quoted(name, 80)),
                fmt::format("Use one of {}", fmt::join(known, ", ")));
  }
  if (kind->is_to_all && !is_broadcast)
    return fail(Code::invalid, "a broadcast has no single receiver", "Use `teamster message broadcast`");
  if (kind->is_of_lead && !sender.is_operator() && sender.name != kLead)
    return fail(Code::refused, fmt::format("only the lead or the operator may send a {}", name));
  return name;
}

Result<std::string> checked_priority(const Json& args) {
  auto priority = TRY(optional_string_field(args, "priority")).value_or(priority::kNormal);
  if (std::find(kPriorities.begin(), kPriorities.end(), priority) == kPriorities.end())
    return fail(Code::invalid, fmt::format("{} is not a priority", quoted(priority, 80)),
                fmt::format("Use {}", fmt::join(kPriorities, " or ")));
  return priority;
}

// nullptr where there is none.
Result<const Json*> checked_schema(const Actor& actor, const Json& args) {
  const auto schema = args.find("schema");
  if (schema == args.end()) return nullptr;
  if (!actor.is_operator) return fail(Code::refused, "only the operator may ask for an answer of a certain shape");
  if (!schema->is_object() || dump_json(*schema).size() > limits::kMetadataMaxBytes)
    return fail(Code::invalid,
                fmt::format("'schema' is not a JSON Schema of up to {} bytes", limits::kMetadataMaxBytes));
  return &*schema;
}

// Where it stands: a body may have a mebibyte.
Result<std::string_view> text_in(const Json& args, const char* field) {
  const auto text = args.find(field);
  if (text == args.end() || !text->is_string()) return fail(string_field(args, field).error());
  return text->get_ref<const std::string&>();
}

Result<Json> shutdown_response(std::string_view body) {
  auto answer = parse_json(body);
  if (!answer || !answer->is_object() || !answer->contains("approve") || !(*answer)["approve"].is_boolean())
    return fail(Code::invalid, "a shutdown_response needs a JSON body",
                R"(Send {"approve":true} or {"approve":false,"reason":"…"})");
  TRY_VOID(optional_string_field(*answer, "reason"));
  return *std::move(answer);
}

// PASS|key:value|…, BLOCKED, READY|path:…|fields:…: on one line, so that whoever reads it is a program or in a hurry.
Result<void> check_signal(std::string_view body) {
  constexpr std::string_view kForm =
      "Write STATUS|key:value|… on one line: STATUS is PASS, FAIL or BLOCKED; or "
      "READY|path:FILE|fields:a,b";
  if (const std::size_t characters = count_characters(body); characters > limits::kSignalMaxCharacters)
    return fail(Code::invalid,
                fmt::format("the signal has {} characters, the limit is {}", characters, limits::kSignalMaxCharacters),
                "Put the content into a file, and its path behind ref:");
  static const Pattern kStatus = *Pattern::compile(R"((PASS|FAIL|BLOCKED)(\|[a-z_]+:[^|\n]*)*)");
  static const Pattern kReady = *Pattern::compile(R"(READY\|path:[^|\n]+\|fields:[^|\n]+)");
  if (kStatus.matches_whole(body) || kReady.matches_whole(body)) return {};
  return fail(Code::invalid, fmt::format("{} is no signal", quoted(body, 80)), std::string(kForm));
}

Result<MessageDraft> draft_message(Scene& scene, const Actor& actor, const Json& args, bool is_broadcast) {
  MessageDraft draft;
  draft.team = TRY(resolve_team(scene, actor, args));
  draft.sender = TRY(resolve_self(scene, actor, draft.team, args, "from", kOperator));
  draft.kind = TRY(checked_kind(args, draft.sender, is_broadcast));
  draft.body = TRY(text_in(args, "body"));
  if (draft.body.size() > limits::kBodyMaxBytes)
    return fail(Code::invalid,
                fmt::format("the message has {} bytes, the limit is {}", draft.body.size(), limits::kBodyMaxBytes),
                "Put the content into a file and send its path");
  if (draft.kind == message_kind::kSignal) TRY_VOID(check_signal(draft.body));
  draft.summary = TRY(optional_string_field(args, "summary"));
  if (draft.summary && draft.summary->size() > limits::kSummaryMaxBytes)
    return fail(Code::invalid, fmt::format("the summary has {} bytes, the limit is {}", draft.summary->size(),
                                           limits::kSummaryMaxBytes));
  draft.priority = TRY(checked_priority(args));
  if (draft.kind == message_kind::kShutdownResponse) {
    if (draft.sender.is_operator())
      return fail(Code::refused, "the operator is no member and cannot answer a shutdown_request");
    draft.response = TRY(shutdown_response(draft.body));
  }
  draft.schema = TRY(checked_schema(actor, args));
  return draft;
}

Result<Seq> record_sent(Scene& scene, const Actor& actor, const MessageDraft& draft, const store::MemberRow& receiver) {
  const MessageSent sent{.from = draft.sender.name,
                         .to = receiver.name,
                         .to_id = receiver.id,
                         .kind = draft.kind,
                         .body = draft.body,
                         .priority = draft.priority,
                         .summary = draft.summary,
                         .schema = draft.schema};
  return scene.store.record(sent, draft.team.id, actor.name);
}

Result<std::optional<Receipt>> checked_mark(const Json& args) {
  const auto name = TRY(optional_string_field(args, "mark"));
  if (!name) return std::optional<Receipt>();
  const auto mark = mark_from_string(*name);
  if (!mark) {
    std::vector<std::string_view> known;
    for (const Receipt each : kMarks) known.push_back(to_string(each));
    return fail(Code::invalid, fmt::format("{} is not a mark", quoted(*name, 80)),
                fmt::format("Use one of {}", fmt::join(known, ", ")));
  }
  return mark;
}

// A look that delivers nothing: for the member's host, which writes the messages to its
// agent and marks them when they have been taken.
Result<bool> checked_peek(const Json& args) {
  const bool peek = TRY(flag_field(args, "peek"));
  if (peek && args.contains("mark")) return fail(Code::invalid, "'peek' records nothing, so it has no 'mark'");
  return peek;
}

Result<std::size_t> checked_limit(const Json& args) {
  const auto limit = TRY(optional_integer_field(args, "limit"));
  if (limit && *limit < 1) return fail(Code::invalid, "'limit' is less than 1");
  return std::min<std::size_t>(limit ? static_cast<std::size_t>(*limit) : limits::kPageMaxRows, limits::kPageMaxRows);
}

Json message_numbers(const std::vector<MessageId>& ids) {
  Json list = Json::array();
  for (const MessageId id : ids) list.push_back(id.value);
  return list;
}

// Marks those that are not that far yet.
Result<void> mark_messages(Scene& scene, const Actor& actor, const store::MemberRow& member,
                           const std::vector<store::MessageRow>& rows, Receipt mark) {
  std::vector<MessageId> ids;
  for (const auto& row : rows)
    if (row.receipt < mark) ids.push_back(row.id);
  if (ids.empty()) return {};
  const MemberMessages messages{member.name, member.id, ids};
  if (mark == Receipt::delivered)
    TRY_VOID(scene.store.record(MessagesDelivered{messages}, member.team, actor.name));
  else
    TRY_VOID(scene.store.record(MessagesMarked{messages, mark}, member.team, actor.name));
  return {};
}

// The first rows whose texts fit into one page; always at least one.
Result<std::vector<store::MessageRow>> fit_page(Scene& scene, std::vector<store::MessageRow> rows) {
  if (rows.size() <= 1) return rows;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bytes += TRY(scene.store.event_bytes(Seq(rows[i].id.value)));
    if (bytes > limits::kPageMaxBytes && i > 0) {
      rows.resize(i);
      break;
    }
  }
  return rows;
}

// Marks the rows as asked, or delivers the queued ones among them. Returns what is recorded
// as the answer; render_messages makes the sent one of it.
Result<JsonObjectText> deliver(Scene& scene, const Actor& actor, const store::MemberRow& member,
                               const std::vector<store::MessageRow>& rows, const Json& args) {
  const auto mark = TRY(checked_mark(args));
  const bool peek = TRY(checked_peek(args));
  std::vector<MessageId> ids;
  for (const auto& row : rows) ids.push_back(row.id);
  // Any mark says of a queued message that it was delivered.
  if (!peek) TRY_VOID(mark_messages(scene, actor, member, rows, mark.value_or(Receipt::delivered)));
  JsonObjectText recorded;
  recorded.add("recipient", member.id.value).add_json("ids", dump_json(message_numbers(ids)));
  return recorded;
}

std::string message_text(const store::MessageRow& row, const store::Event& event, const std::string& team,
                         bool with_body) {
  const MessageSent sent = MessageSent::read(event.body);
  // In the order of their names, as a reader puts them.
  JsonObjectText out;
  if (row.acted) out.add("acted", to_iso8601(*row.acted));
  if (with_body) out.add("body", sent.body);
  if (row.delivered) out.add("delivered", to_iso8601(*row.delivered));
  out.add("deliveries", row.deliveries).add("from", sent.from).add("id", row.id.value);
  out.add("kind", sent.kind).add("priority", sent.priority);
  out.add("receipt", to_string(row.receipt));
  if (with_body && sent.schema != nullptr) out.add_json("schema", dump_json(*sent.schema));
  if (row.seen) out.add("seen", to_iso8601(*row.seen));
  out.add("sent", to_iso8601(event.at));
  if (sent.summary) out.add("summary", *sent.summary);
  out.add("team", team).add("to", sent.to);
  return out.take();
}

// To a list that begins with its bracket.
Result<void> append_message(Scene& scene, std::string& list, const std::string& team, MemberId recipient,
                            MessageId id) {
  const auto row = TRY(scene.tables().messages.get(recipient, id));
  const auto event = TRY(scene.store.event(Seq(id.value)));
  if (!row || !event) return {};
  if (list.size() > 1) list += ',';
  list += message_text(*row, *event, team, true);
  return {};
}

}  // namespace

Result<Outcome> send_message(Scene& scene, const Actor& actor, const Json& args) {
  const MessageDraft draft = TRY(draft_message(scene, actor, args, false));
  const auto receiver = TRY(resolve_live(scene, draft.team, TRY(string_field(args, "to"))));
  const Seq id = TRY(record_sent(scene, actor, draft, receiver));
  if (!draft.response.is_null()) TRY_VOID(take_shutdown_answer(scene, draft.sender, draft.response));
  return Outcome{JsonObjectText().add("id", id.value).add("receipt", to_string(Receipt::queued)).take(), {}, {}};
}

Result<Outcome> broadcast_message(Scene& scene, const Actor& actor, const Json& args) {
  const MessageDraft draft = TRY(draft_message(scene, actor, args, true));
  if (!draft.response.is_null())
    return fail(Code::invalid, "a shutdown_response has one receiver", "Use `teamster message send`");
  Json ids = Json::array();
  Json names = Json::array();
  for (const auto& member : TRY(scene.tables().members.list(draft.team.id))) {
    if (!member.live || member.id == draft.sender.id) continue;
    ids.push_back(TRY(record_sent(scene, actor, draft, member)).value);
    names.push_back(member.name);
  }
  if (ids.empty())
    return fail(Code::refused, fmt::format("team {} has no other live member to hear it", draft.team.name));
  return answered({{"ids", std::move(ids)}, {"to", std::move(names)}});
}

Result<Outcome> read_inbox(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_self(scene, actor, team, args, "member"));
  const bool all = TRY(flag_field(args, "all"));
  const auto limit = TRY(checked_limit(args));
  const MessageId after(TRY(optional_integer_field(args, "after")).value_or(0));
  auto rows = TRY(scene.tables().messages.page(member.id, !all, after, limit));
  const std::size_t found = rows.size();
  rows = TRY(fit_page(scene, std::move(rows)));
  auto answer = TRY(deliver(scene, actor, member, rows, args));
  const bool more = rows.size() < found || found == limit;
  more && !rows.empty() ? answer.add("next", rows.back().id.value) : answer.add_null("next");
  return Outcome{answer.take(), {}, {}};
}

Result<Outcome> wait_for_message(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_self(scene, actor, team, args, "member"));
  const MessageId after(TRY(optional_integer_field(args, "after")).value_or(0));
  std::vector<store::MessageRow> rows;
  for (const MessageId id : TRY(scene.tables().messages.queued(member.id, after, TRY(checked_limit(args)))))
    rows.push_back({id, member.id, Receipt::queued, 0, {}, {}, {}});
  rows = TRY(fit_page(scene, std::move(rows)));
  auto answer = TRY(deliver(scene, actor, member, rows, args));
  if (rows.empty()) return Outcome{answer.take(), {Topic::inbox(member.id), Topic::lifecycle(team.id)}, {}};
  std::string list = "[";
  for (const auto& row : rows) TRY_VOID(append_message(scene, list, team.name, member.id, row.id));
  return Outcome{answer.take(), {}, {}, JsonObjectText().add_json("messages", list + "]").take()};
}

Result<Outcome> acknowledge_messages(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_self(scene, actor, team, args, "member"));
  const Receipt mark = TRY(checked_mark(args)).value_or(Receipt::acted);
  const auto ids = args.find("ids");
  if (ids == args.end() || !ids->is_array() || ids->empty() || ids->size() > limits::kPageMaxRows)
    return fail(Code::invalid, fmt::format("'ids' is not a list of 1 to {} message numbers", limits::kPageMaxRows));
  std::vector<store::MessageRow> rows;
  Json done = Json::array();
  for (const auto& id : *ids) {
    if (!id.is_number_integer()) return fail(Code::invalid, "'ids' is not a list of message numbers");
    const auto row = TRY(scene.tables().messages.get(member.id, MessageId(id.get<std::int64_t>())));
    if (!row)
      return fail(Code::not_found,
                  fmt::format("{} of team {} has no message {}", member.name, team.name, id.get<std::int64_t>()),
                  fmt::format("See `teamster message inbox --team {} --member {} --all`", team.name, member.name));
    rows.push_back(*row);
    done.push_back(id);
  }
  TRY_VOID(mark_messages(scene, actor, member, rows, mark));
  return answered({{"acknowledged", std::move(done)}, {"receipt", to_string(mark)}});
}

Result<Outcome> message_receipt(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto id = TRY(integer_field(args, "id"));
  const auto event = TRY(scene.store.event(Seq(id)));
  if (!event || event->team != team.id || event->kind != kind::kMessageSent)
    return fail(Code::not_found, fmt::format("team {} has no message {}", team.name, id));
  const MessageSent sent = MessageSent::read(event->body);
  if (!actor.is_operator && sent.from != actor.name && sent.to != actor.name)
    return fail(Code::refused, fmt::format("message {} is neither from nor to {}", id, actor.name));
  const auto row = TRY(scene.tables().messages.get(sent.to_id, MessageId(id)));
  if (!row) return fail(Code::internal, fmt::format("message {} has no receipt", id));
  const std::string message = message_text(*row, *event, team.name, false);
  return Outcome{JsonObjectText().add_json("message", message).take(), {}, {}};
}

Result<std::string> render_messages(Scene& scene, const std::string& text) {
  const Json recorded = TRY(parse_json(text));
  const MemberId recipient(recorded.at("recipient").get<std::int64_t>());
  const auto member = TRY(scene.tables().members.get(recipient));
  const auto team = member ? TRY(scene.tables().teams.get(member->team)) : std::nullopt;
  std::string messages = "[";
  for (const auto& id : recorded.at("ids")) {
    const MessageId message(id.get<std::int64_t>());
    TRY_VOID(append_message(scene, messages, team ? team->name : "", recipient, message));
  }
  JsonObjectText out;
  out.add_json("messages", messages + "]");
  if (recorded.contains("next")) out.add_json("next", dump_json(recorded["next"]));
  return out.take();
}

}  // namespace teamster::team
