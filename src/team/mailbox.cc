#include "team/mailbox.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "team/lifecycle.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

namespace kind = store::kind;
using store::Receipt;

constexpr std::array<std::string_view, 13> kMessageKinds = {"message",
                                                            "broadcast",
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
// What only the lead and the operator may say.
constexpr std::array<std::string_view, 3> kLeadKinds = {"shutdown_request", "plan_approval_response",
                                                        "permission_response"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The part of a message that does not depend on its receiver.
struct MessageDraft {
  store::TeamRow team;
  store::MemberRow sender;
  std::string kind;
  Json body;      // of the event, without receiver
  Json response;  // the answer in a shutdown_response
};

Result<std::string> checked_kind(const Json& args, const store::MemberRow& sender, bool is_broadcast) {
  const auto kind = TRY(optional_string_field(args, "kind")).value_or(is_broadcast ? "broadcast" : "message");
  if (!contains(kMessageKinds, kind))
    return fail(Code::invalid, fmt::format("{} is not a kind of message", quoted(kind, 80)),
                fmt::format("Use one of {}", fmt::join(kMessageKinds, ", ")));
  if (kind == "broadcast" && !is_broadcast)
    return fail(Code::invalid, "a broadcast has no single receiver", "Use `teamster message broadcast`");
  if (contains(kLeadKinds, kind) && !sender.is_operator() && sender.name != kLead)
    return fail(Code::refused, fmt::format("only the lead or the operator may send a {}", kind));
  return kind;
}

Result<Json> shutdown_response(const std::string& body) {
  auto answer = parse_json(body);
  if (!answer || !answer->is_object() || !answer->contains("approve") || !(*answer)["approve"].is_boolean())
    return fail(Code::invalid, "a shutdown_response needs a JSON body",
                R"(Send {"approve":true} or {"approve":false,"reason":"…"})");
  TRY_VOID(optional_string_field(*answer, "reason"));
  return *std::move(answer);
}

Result<MessageDraft> draft_message(Scene& scene, const Actor& actor, const Json& args, bool is_broadcast) {
  MessageDraft draft;
  draft.team = TRY(resolve_team(scene, actor, args));
  draft.sender = TRY(resolve_self(scene, actor, draft.team, args, "from", kOperator));
  draft.kind = TRY(checked_kind(args, draft.sender, is_broadcast));
  auto body = TRY(string_field(args, "body"));
  if (body.size() > limits::kBodyMaxBytes)
    return fail(Code::invalid,
                fmt::format("the message has {} bytes, the limit is {}", body.size(), limits::kBodyMaxBytes),
                "Put the content into a file and send its path");
  const auto summary = TRY(optional_string_field(args, "summary"));
  if (summary && summary->size() > limits::kSummaryMaxBytes)
    return fail(Code::invalid,
                fmt::format("the summary has {} bytes, the limit is {}", summary->size(), limits::kSummaryMaxBytes));
  const auto priority = TRY(optional_string_field(args, "priority")).value_or("normal");
  if (priority != "normal" && priority != "interrupt")
    return fail(Code::invalid, fmt::format("{} is not a priority", quoted(priority, 80)), "Use normal or interrupt");
  if (draft.kind == "shutdown_response") {
    if (draft.sender.is_operator())
      return fail(Code::refused, "the operator is no member and cannot answer a shutdown_request");
    draft.response = TRY(shutdown_response(body));
  }
  const auto schema = args.find("schema");
  if (schema != args.end()) {
    if (!actor.is_operator) return fail(Code::refused, "only the operator may ask for an answer of a certain shape");
    if (!schema->is_object() || dump_json(*schema).size() > limits::kMetadataMaxBytes)
      return fail(Code::invalid,
                  fmt::format("'schema' is not a JSON Schema of up to {} bytes", limits::kMetadataMaxBytes));
  }
  draft.body = Json::object();
  draft.body["from"] = draft.sender.name;
  draft.body["kind"] = draft.kind;
  draft.body["body"] = std::move(body);
  if (priority != "normal") draft.body["priority"] = priority;
  if (summary) draft.body["summary"] = *summary;
  if (schema != args.end()) draft.body["schema"] = *schema;
  return draft;
}

Result<Seq> record_sent(Scene& scene, const Actor& actor, TeamId team, Json body, const store::MemberRow& receiver) {
  body["to"] = receiver.name;
  body["to_id"] = receiver.id.value;
  return scene.store.record(kind::kMessageSent, team, actor.name, std::move(body));
}

Result<std::optional<std::string>> checked_mark(const Json& args) {
  auto mark = TRY(optional_string_field(args, "mark"));
  if (mark && *mark != "seen" && *mark != "acted" && *mark != "delivered")
    return fail(Code::invalid, fmt::format("{} is not a mark", quoted(*mark, 80)), "Use delivered, seen or acted");
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

Json id_list(const std::vector<MessageId>& ids) {
  Json list = Json::array();
  for (const MessageId id : ids) list.push_back(id.value);
  return list;
}

Result<void> record_for(Scene& scene, const char* event_kind, const Actor& actor, const store::MemberRow& member,
                        const std::vector<MessageId>& ids, const char* field = nullptr, std::string_view value = {}) {
  if (ids.empty()) return {};
  Json body = {{"member", member.name}, {"member_id", member.id.value}, {"ids", id_list(ids)}};
  if (field != nullptr) body[field] = value;
  TRY_VOID(scene.store.record(event_kind, member.team, actor.name, std::move(body)));
  return {};
}

// Marks those that are not that far yet.
Result<void> mark_messages(Scene& scene, const Actor& actor, const store::MemberRow& member,
                           const std::vector<store::MessageRow>& rows, std::string_view mark) {
  if (mark == "delivered") {
    std::vector<MessageId> queued;
    for (const auto& row : rows)
      if (row.receipt == Receipt::queued) queued.push_back(row.id);
    return record_for(scene, kind::kMessageDelivered, actor, member, queued);
  }
  const Receipt target = mark == "acted" ? Receipt::acted : Receipt::seen;
  std::vector<MessageId> ids;
  for (const auto& row : rows)
    if (row.receipt < target) ids.push_back(row.id);
  return record_for(scene, kind::kMessageMarked, actor, member, ids, "mark", mark);
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
  if (!peek) TRY_VOID(mark_messages(scene, actor, member, rows, mark.value_or("delivered")));
  JsonObjectText recorded;
  recorded.add("recipient", member.id.value).add_json("ids", dump_json(id_list(ids)));
  return recorded;
}

std::string message_text(const store::MessageRow& row, const store::Event& event, const std::string& team,
                         bool with_body) {
  const auto field = [&](const char* name, std::string_view otherwise) {
    const auto found = event.body.find(name);
    return found != event.body.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                           : otherwise;
  };
  // In the order of their names, as a reader puts them.
  JsonObjectText out;
  if (row.acted) out.add("acted", to_iso8601(*row.acted));
  if (with_body) out.add("body", field("body", ""));
  if (row.delivered) out.add("delivered", to_iso8601(*row.delivered));
  out.add("deliveries", row.deliveries).add("from", field("from", "")).add("id", row.id.value);
  out.add("kind", field("kind", "message")).add("priority", field("priority", "normal"));
  out.add("receipt", to_string(row.receipt));
  if (with_body && event.body.contains("schema")) out.add_json("schema", dump_json(event.body["schema"]));
  if (row.seen) out.add("seen", to_iso8601(*row.seen));
  out.add("sent", to_iso8601(event.at));
  if (event.body.contains("summary")) out.add("summary", field("summary", ""));
  out.add("team", team).add("to", field("to", ""));
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
  MessageDraft draft = TRY(draft_message(scene, actor, args, false));
  const auto receiver = TRY(resolve_live(scene, draft.team, TRY(string_field(args, "to"))));
  const Seq id = TRY(record_sent(scene, actor, draft.team.id, std::move(draft.body), receiver));
  if (!draft.response.is_null()) TRY_VOID(take_shutdown_answer(scene, draft.sender, draft.response));
  return Outcome{JsonObjectText().add("id", id.value).add("receipt", "queued").take(), {}, {}};
}

Result<Outcome> broadcast_message(Scene& scene, const Actor& actor, const Json& args) {
  const MessageDraft draft = TRY(draft_message(scene, actor, args, true));
  if (!draft.response.is_null())
    return fail(Code::invalid, "a shutdown_response has one receiver", "Use `teamster message send`");
  Json ids = Json::array();
  Json names = Json::array();
  for (const auto& member : TRY(scene.tables().members.list(draft.team.id))) {
    if (!member.live || member.id == draft.sender.id) continue;
    ids.push_back(TRY(record_sent(scene, actor, draft.team.id, draft.body, member)).value);
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
  const auto mark = TRY(checked_mark(args)).value_or("acted");
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
  return answered({{"acknowledged", std::move(done)}, {"receipt", mark}});
}

Result<Outcome> message_receipt(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto id = TRY(integer_field(args, "id"));
  const auto event = TRY(scene.store.event(Seq(id)));
  if (!event || event->team != team.id || event->kind != kind::kMessageSent)
    return fail(Code::not_found, fmt::format("team {} has no message {}", team.name, id));
  if (!actor.is_operator && event->body.value("from", "") != actor.name && event->body.value("to", "") != actor.name)
    return fail(Code::refused, fmt::format("message {} is neither from nor to {}", id, actor.name));
  const auto row =
      TRY(scene.tables().messages.get(MemberId(event->body.value("to_id", std::int64_t{0})), MessageId(id)));
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
