#include "protocol/words/message_records.h"

#include <nlohmann/json.hpp>

namespace teamster {

Json MessageSent::json() && {
  Json out = Json::object();
  out["from"] = from;
  out["to"] = to;
  out["to_id"] = to_id.value;
  out["kind"] = kind;
  out["body"] = body;
  if (priority != priority::kNormal) out["priority"] = priority;
  if (summary) out["summary"] = *summary;
  if (schema != nullptr) out["schema"] = *schema;
  return out;
}

MessageSent MessageSent::read(const Json& body) {
  const auto text = [&](const char* field) -> std::optional<std::string_view> {
    const auto found = body.find(field);
    if (found == body.end() || !found->is_string()) return std::nullopt;
    return found->get_ref<const std::string&>();
  };
  const auto to_id = body.find("to_id");
  const auto schema = body.find("schema");
  return {.from = text("from").value_or(""),
          .to = text("to").value_or(""),
          .to_id = MemberId(to_id != body.end() && to_id->is_number() ? to_id->get<std::int64_t>() : 0),
          .kind = text("kind").value_or(message_kind::kMessage),
          .body = text("body").value_or(""),
          .priority = text("priority").value_or(priority::kNormal),
          .summary = text("summary"),
          .schema = schema != body.end() ? &*schema : nullptr};
}

MemberId MessageSent::to_id_in(const Json& body) { return MemberId(body.at("to_id").get<std::int64_t>()); }

Json MemberMessages::json() const {
  Json list = Json::array();
  for (const MessageId id : ids) list.push_back(id.value);
  Json body = {{"member", member}, {"member_id", member_id.value}};
  body["ids"] = std::move(list);
  return body;
}

const Json& MemberMessages::ids_in(const Json& body) { return body.at("ids"); }

Json MessagesMarked::json() const {
  Json body = MemberMessages::json();
  body["mark"] = to_string(mark);
  return body;
}

Receipt MessagesMarked::mark_in(const Json& body) {
  return body.at("mark").get_ref<const std::string&>() == to_string(Receipt::acted) ? Receipt::acted : Receipt::seen;
}

Json MessagesRequeued::json() const {
  Json body = MemberMessages::json();
  body["why"] = why;
  return body;
}

}  // namespace teamster
