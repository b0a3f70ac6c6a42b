#include "protocol/client/message_calls.h"

#include <fmt/format.h>

#include "base/text.h"
#include "protocol/client/call_fields.h"
#include "protocol/words/addresses.h"
#include "protocol/words/message_kinds.h"

namespace teamster::hub {
namespace {

Result<Receipt> receipt_in(const Json& object) {
  const std::string name = TRY(string_field(object, "receipt"));
  const auto receipt = receipt_from_string(name);
  if (!receipt) return fail(Code::internal, fmt::format("{} is not a receipt", quoted(name, 80)));
  return *receipt;
}

Json with_text(MessageText text) {
  Json args = Json::object();
  args["body"] = std::move(text.body);
  put(args, "kind", std::move(text.kind));
  put(args, "summary", std::move(text.summary));
  put(args, "priority", std::move(text.priority));
  return args;
}

void put_mark(Json& args, std::optional<Receipt> mark) {
  if (mark) args["mark"] = to_string(*mark);
}

Result<std::vector<Message>> take_messages(Json& answer) {
  Json list = TRY(take_list(answer, ReadInbox::kItems));
  std::vector<Message> messages;
  messages.reserve(list.size());
  for (auto& each : list) messages.push_back(TRY(Message::read(std::move(each))));
  return messages;
}

}  // namespace

bool Message::interrupts() const { return priority == priority::kInterrupt; }

Result<Message> Message::read(Json message) {
  Message out;
  out.id = MessageId(TRY(integer_field(message, "id")));
  out.receipt = TRY(receipt_in(message));
  out.team = raw_text_in(message, "team");
  out.from = raw_text_in(message, "from");
  out.to = raw_text_in(message, "to");
  out.kind = raw_text_in(message, "kind");
  out.priority = raw_text_in(message, "priority");
  out.summary = optional_text_in(message, "summary");
  out.deliveries = static_cast<int>(number_in(message, "deliveries"));
  out.sent = time_in(message, "sent");
  out.delivered = time_in(message, "delivered");
  out.seen = time_in(message, "seen");
  out.acted = time_in(message, "acted");
  if (const auto schema = message.find("schema"); schema != message.end()) out.schema = std::move(*schema);
  if (const auto body = message.find("body"); body != message.end() && body->is_string())
    out.body = std::move(body->get_ref<std::string&>());
  return out;
}

Speech speech_of(const Message& message) {
  return {.id = message.id.value,
          .from = message.from,
          .kind = message.kind,
          .sent = message.sent ? to_iso8601(*message.sent) : "",
          .body = message.body,
          .summary = message.summary.value_or(""),
          .priority = message.priority,
          .is_of_user = message.from == kOperator};
}

Json SendMessage::arguments() && {
  Json args = with_text(std::move(text));
  put_name(args, "team", std::move(team));
  put_name(args, "from", std::move(from));
  put_name(args, "to", std::move(to));
  put(args, "schema", std::move(schema));
  put(args, "epoch", epoch);
  return args;
}

Result<SendMessage::Answer> SendMessage::read(const Json& answer) {
  Answer out;
  out.id = MessageId(TRY(integer_field(answer, "id")));
  out.receipt = TRY(receipt_in(answer));
  return out;
}

Json BroadcastMessage::arguments() && {
  Json args = with_text(std::move(text));
  put_name(args, "team", std::move(team));
  put_name(args, "from", std::move(from));
  return args;
}

Result<BroadcastMessage::Answer> BroadcastMessage::read(const Json& answer) {
  return Answer{ids_in<MessageId>(answer, "ids"), texts_in(answer, "to")};
}

Json ReadInbox::arguments() && {
  Json args = Json::object();
  put_name(args, "team", std::move(team));
  put_name(args, "member", std::move(member));
  put_flag(args, "all", all);
  put_mark(args, mark);
  put_flag(args, "peek", peek);
  put_after(args, after);
  put(args, "limit", limit);
  put(args, "epoch", epoch);
  return args;
}

Result<ReadInbox::Answer> ReadInbox::read(Json answer) {
  Answer page;
  page.items = TRY(take_messages(answer));
  page.next = next_in(answer);
  return page;
}

Json WaitForMessages::arguments() && {
  return ReadInbox{.team = std::move(team),
                   .member = std::move(member),
                   .mark = mark,
                   .peek = peek,
                   .after = after,
                   .limit = limit,
                   .epoch = epoch}
      .arguments();
}

Result<WaitForMessages::Answer> WaitForMessages::read(Json answer) { return take_messages(answer); }

Json AcknowledgeMessages::arguments() && {
  Json args = {{"ids", numbers_of(ids)}, {"mark", to_string(mark)}};
  put_name(args, "team", std::move(team));
  put_name(args, "member", std::move(member));
  put(args, "epoch", epoch);
  return args;
}

Result<AcknowledgeMessages::Answer> AcknowledgeMessages::read(const Json& answer) {
  return ids_in<MessageId>(answer, "acknowledged");
}

Json GetReceipt::arguments() && {
  Json args = {{"id", id.value}};
  put_name(args, "team", std::move(team));
  return args;
}

Result<Message> GetReceipt::read(Json answer) {
  const auto message = answer.find("message");
  if (message == answer.end()) return fail(Code::internal, "it has no message");
  return Message::read(std::move(*message));
}

}  // namespace teamster::hub
