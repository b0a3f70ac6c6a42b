// Calls about messages and their receipts. Rules and refusals are the hub's (team/mailbox.h). A member may leave
// `team`, `from` and `member` empty: it acts as itself; `epoch` says for which epoch of a member its host acts. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"
#include "base/speech.h"
#include "base/time.h"
#include "protocol/client/pages.h"
#include "protocol/words/operations.h"
#include "protocol/words/receipt.h"

namespace teamster::hub {

struct Message {
  MessageId id;
  std::string team;
  std::string from;
  std::string to;
  std::string kind;      // of protocol/words/message_kinds.h, or of a newer hub
  std::string priority;  // the same
  std::optional<std::string> summary;
  std::string body;
  Receipt receipt = Receipt::queued;
  int deliveries = 0;
  std::optional<WallTime> sent;
  std::optional<WallTime> delivered;
  std::optional<WallTime> seen;
  std::optional<WallTime> acted;
  std::optional<Json> schema;  // of the answer that its sender wants

  bool interrupts() const;
  static Result<Message> read(Json message);
};

// The message as its sender's words.
Speech speech_of(const Message& message);

// What a message says, whoever gets it.
struct MessageText {
  std::string body;
  std::optional<std::string> kind = {};
  std::optional<std::string> summary = {};
  std::optional<std::string> priority = {};
};

struct SendMessage {
  static constexpr const char* kOperation = operation::kMessageSend;
  static constexpr bool kWrites = true;
  struct Answer {
    MessageId id;
    Receipt receipt = Receipt::queued;
  };

  std::string team;
  std::string from = {};
  std::string to;
  MessageText text;
  std::optional<Json> schema = {};  // the operator's: the JSON Schema of the answer
  std::optional<Epoch> epoch = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

struct BroadcastMessage {
  static constexpr const char* kOperation = operation::kMessageBroadcast;
  static constexpr bool kWrites = true;
  struct Answer {
    std::vector<MessageId> ids;
    std::vector<std::string> to;
  };

  std::string team;
  std::string from = {};
  MessageText text;

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// One page of what is open, or of all; queued messages are delivered by it unless it peeks.
struct ReadInbox {
  static constexpr const char* kOperation = operation::kMessageInbox;
  static constexpr const char* kItems = "messages";
  static constexpr bool kWrites = true;
  using Answer = Page<Message>;

  std::string team;
  std::string member;
  bool all = false;
  std::optional<Receipt> mark = {};
  bool peek = false;
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};
  std::optional<Epoch> epoch = {};

  Json arguments() &&;
  static Result<Answer> read(Json answer);
  static Result<Message> read_item(Json item) { return Message::read(std::move(item)); }
};

// The queued ones; waits for one with CallOptions::wait.
struct WaitForMessages {
  static constexpr const char* kOperation = operation::kMessageWait;
  static constexpr bool kWrites = true;
  using Answer = std::vector<Message>;

  std::string team;
  std::string member;
  std::optional<Receipt> mark = {};
  bool peek = false;
  std::int64_t after = 0;
  std::optional<std::int64_t> limit = {};
  std::optional<Epoch> epoch = {};

  Json arguments() &&;
  static Result<Answer> read(Json answer);
};

struct AcknowledgeMessages {
  static constexpr const char* kOperation = operation::kMessageAck;
  static constexpr bool kWrites = true;
  using Answer = std::vector<MessageId>;

  std::string team;
  std::string member;
  std::vector<MessageId> ids;
  Receipt mark = Receipt::acted;
  std::optional<Epoch> epoch = {};

  Json arguments() &&;
  static Result<Answer> read(const Json& answer);
};

// How far a message has come, without its body.
struct GetReceipt {
  static constexpr const char* kOperation = operation::kMessageReceipt;
  static constexpr bool kWrites = false;
  using Answer = Message;

  std::string team;
  MessageId id;

  Json arguments() &&;
  static Result<Answer> read(Json answer);
};

}  // namespace teamster::hub
