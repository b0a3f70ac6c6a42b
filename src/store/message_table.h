// Projection of the mailboxes: for each message its receiver and how far its receipt has
// come. Texts stay in the journal: a message's id is the number of its event there. A new
// message is written with the batch, not at once: one that somebody waits for is delivered
// and marked in the batch that sent it, and so is written once, as it ends.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "protocol/words/receipt.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

struct MessageRow {
  MessageId id;
  MemberId recipient;
  Receipt receipt = Receipt::queued;
  int deliveries = 0;
  std::optional<WallTime> delivered;
  std::optional<WallTime> seen;
  std::optional<WallTime> acted;
};

struct Unseen {
  MessageId id;
  MemberId recipient;
  int deliveries = 0;
};

class MessageTable {
 public:
  explicit MessageTable(Database& database) : database_(database) {}

  Result<std::vector<MessageId>> queued(MemberId recipient, MessageId after, std::size_t limit);
  // Oldest first, ids after `after`; open ones are queued, delivered or seen.
  Result<std::vector<MessageRow>> page(MemberId recipient, bool open_only, MessageId after, std::size_t limit);
  Result<std::optional<MessageRow>> get(MemberId recipient, MessageId id);
  Result<std::int64_t> count(MemberId recipient, Receipt receipt);
  Result<std::vector<MessageId>> delivered_unseen(MemberId recipient);
  // The redelivery clock.
  Result<std::vector<Unseen>> unseen_since(WallTime time, std::size_t limit);
  Result<std::optional<WallTime>> oldest_unseen();

  Result<void> apply_sent(const Event& event);
  Result<void> apply_delivered(const Event& event);
  Result<void> apply_marked(const Event& event);
  Result<void> apply_requeued(const Event& event);
  Result<void> apply_dead(const Event& event);
  // A turn stops the clock of the member's unseen messages; its end starts it anew.
  Result<void> apply_turn(const Event& event);
  Result<void> remove_team(TeamId team);

  // At the end of a batch, and of a rebuild.
  Result<void> write_out();
  // After a rollback.
  void forget() { unwritten_.clear(); }

 private:
  struct Unwritten {
    MessageRow row;
    std::optional<WallTime> unseen_since;
  };
  Unwritten* find_unwritten(MemberId recipient, MessageId id);
  Result<void> for_each_id(const Event& event, const char* sql, bool with_time);
  Result<std::optional<WallTime>> clock_start(MemberId recipient, WallTime now);

  Database& database_;
  std::vector<Unwritten> unwritten_;  // newest last: their ids are above all in the file
};

}  // namespace teamster::store
