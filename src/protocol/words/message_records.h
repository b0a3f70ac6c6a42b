// Bodies of the records about messages; see docs/formats/store.md and team_records.h, whose rules hold here. A
// message's id is the number of its message.sent. Values that borrow texts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/receipt.h"
#include "protocol/words/record_kinds.h"

namespace teamster {

struct MessageSent {
  static constexpr const char* kKind = teamster::kind::kMessageSent;
  std::string_view from;
  std::string_view to;
  MemberId to_id;
  std::string_view kind = message_kind::kMessage;
  std::string_view body;
  std::string_view priority = teamster::priority::kNormal;
  std::optional<std::string_view> summary = {};
  const Json* schema = nullptr;  // of the answer that its sender wants

  Json json() &&;
  // Never throws: what is missing is as nothing. Good while `body` is there.
  static MessageSent read(const Json& body);
  static MemberId to_id_in(const Json& body);
};

// What became of some messages of one member: the base of the records below.
struct MemberMessages {
  std::string_view member;
  MemberId member_id;
  const std::vector<MessageId>& ids;

  Json json() const;
  // A list of numbers.
  static const Json& ids_in(const Json& body);
};

struct MessagesDelivered : MemberMessages {
  static constexpr const char* kKind = teamster::kind::kMessageDelivered;
};

// Of a message that was queued it says as well that it was delivered.
struct MessagesMarked : MemberMessages {
  static constexpr const char* kKind = teamster::kind::kMessageMarked;
  Receipt mark = Receipt::seen;

  Json json() const;
  // Seen, or acted.
  static Receipt mark_in(const Json& body);
};

struct MessagesRequeued : MemberMessages {
  static constexpr const char* kKind = teamster::kind::kMessageRequeued;
  std::string_view why;

  Json json() const;
};

struct MessagesDead : MemberMessages {
  static constexpr const char* kKind = teamster::kind::kMessageDead;
};

}  // namespace teamster
