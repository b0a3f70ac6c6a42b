#include "store/message_table.h"

#include <algorithm>
#include <utility>

#include "protocol/words/message_records.h"
#include "protocol/words/team_records.h"
#include "store/schema.h"
#include "store/sql_text.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

std::optional<WallTime> optional_time(const Query& query, int column) {
  if (query.is_null(column)) return std::nullopt;
  return WallTime{query.integer(column)};
}

MessageRow message_row_of(const Query& query) {
  MessageRow row;
  row.recipient = MemberId(query.integer(0));
  row.id = MessageId(query.integer(1));
  row.receipt = static_cast<Receipt>(query.integer(2));
  row.deliveries = static_cast<int>(query.integer(3));
  row.delivered = optional_time(query, 4);
  row.seen = optional_time(query, 5);
  row.acted = optional_time(query, 6);
  return row;
}

Result<std::vector<MessageId>> messages_in(Query& query) {
  std::vector<MessageId> ids;
  while (TRY(query.next())) ids.emplace_back(query.integer(0));
  return ids;
}

#define MESSAGE_COLUMNS "SELECT recipient, id, state, deliveries, delivered_ms, seen_ms, acted_ms FROM message "

}  // namespace

// The index of open messages needs its condition in the query. Called likely, because the
// planner takes it for more selective than `state = ?` otherwise, walks all open messages
// of the member and sorts them.
Result<std::vector<MessageId>> MessageTable::queued(MemberId recipient, MessageId after, std::size_t limit) {
  auto query = database_.query(
      sql<"SELECT id FROM message INDEXED BY message_open WHERE recipient = ? AND state = ", number(Receipt::queued),
          " AND likely(", kOpenMessage, ") AND id > ? ORDER BY id LIMIT ?">);
  auto ids = TRY(messages_in(query.with(recipient.value).with(after.value).with(static_cast<std::int64_t>(limit))));
  for (const auto& [row, unseen_since] : unwritten_)
    if (ids.size() < limit && row.recipient == recipient && row.receipt == Receipt::queued && row.id > after)
      ids.push_back(row.id);
  return ids;
}

Result<std::vector<MessageRow>> MessageTable::page(MemberId recipient, bool open_only, MessageId after,
                                                   std::size_t limit) {
  TRY_VOID(write_out());
  // The index of open messages is ordered by state first: one look for each, then merged.
  static constexpr const char* kOfState =
      sql<MESSAGE_COLUMNS "INDEXED BY message_open WHERE recipient = ? AND id > ? AND state = ? AND likely(",
          kOpenMessage, ") ORDER BY id LIMIT ?">;
  static constexpr const char* kAll =
      MESSAGE_COLUMNS "WHERE recipient = ? AND id > ? AND state <> ? ORDER BY id LIMIT ?";
  constexpr std::int64_t kNoState = -1;
  std::vector<MessageRow> rows;
  const auto add_rows = [&](const char* statement, std::int64_t state) -> Result<void> {
    auto query = database_.query(statement);
    query.with(recipient.value).with(after.value).with(state).with(static_cast<std::int64_t>(limit));
    while (TRY(query.next())) rows.push_back(message_row_of(query));
    return {};
  };
  if (!open_only) TRY_VOID(add_rows(kAll, kNoState));
  for (const Receipt receipt : kReceipts)
    if (open_only && is_open(receipt)) TRY_VOID(add_rows(kOfState, static_cast<std::int64_t>(receipt)));
  std::sort(rows.begin(), rows.end(), [](const MessageRow& a, const MessageRow& b) { return a.id < b.id; });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<std::optional<MessageRow>> MessageTable::get(MemberId recipient, MessageId id) {
  if (const Unwritten* unwritten = find_unwritten(recipient, id)) return std::optional<MessageRow>(unwritten->row);
  auto query = database_.query(MESSAGE_COLUMNS "WHERE recipient = ? AND id = ?");
  if (!TRY(query.with(recipient.value).with(id.value).next())) return std::optional<MessageRow>();
  return std::optional<MessageRow>(message_row_of(query));
}

#undef MESSAGE_COLUMNS

Result<std::int64_t> MessageTable::count(MemberId recipient, Receipt receipt) {
  TRY_VOID(write_out());
  // What is open is counted in its own index; the rest is a walk through history.
  auto query = is_open(receipt)
                   ? database_.query(sql<"SELECT count(*) FROM message INDEXED BY message_open WHERE recipient = ? "
                                         "AND state = ? AND likely(",
                                         kOpenMessage, ")">)
                   : database_.query("SELECT count(*) FROM message WHERE recipient = ? AND state = ?");
  TRY_VOID(query.with(recipient.value).with(static_cast<std::int64_t>(receipt)).next());
  return query.integer(0);
}

Result<std::vector<MessageId>> MessageTable::delivered_unseen(MemberId recipient) {
  TRY_VOID(write_out());
  auto query = database_.query(sql<"SELECT id FROM message INDEXED BY message_open WHERE recipient = ? AND state = ",
                                   number(Receipt::delivered), " AND likely(", kOpenMessage, ") ORDER BY id">);
  return messages_in(query.with(recipient.value));
}

Result<std::vector<Unseen>> MessageTable::unseen_since(WallTime time, std::size_t limit) {
  TRY_VOID(write_out());
  auto query = database_.query(sql<"SELECT id, recipient, deliveries FROM message INDEXED BY message_unseen WHERE ",
                                   kUnseenMessage, " AND unseen_since_ms <= ? ORDER BY unseen_since_ms LIMIT ?">);
  query.with(time.unix_ms).with(static_cast<std::int64_t>(limit));
  std::vector<Unseen> rows;
  while (TRY(query.next()))
    rows.push_back({MessageId(query.integer(0)), MemberId(query.integer(1)), static_cast<int>(query.integer(2))});
  return rows;
}

Result<std::optional<WallTime>> MessageTable::oldest_unseen() {
  TRY_VOID(write_out());
  auto query =
      database_.query(sql<"SELECT min(unseen_since_ms) FROM message INDEXED BY message_unseen WHERE ", kUnseenMessage>);
  if (!TRY(query.next())) return std::optional<WallTime>();
  return optional_time(query, 0);
}

Result<void> MessageTable::apply_sent(const Event& event) {
  if (unwritten_.size() >= kUnwrittenMessagesMax) TRY_VOID(write_out());
  MessageRow row;
  row.id = MessageId(event.seq.value);
  row.recipient = MessageSent::to_id_in(event.body);
  unwritten_.push_back({row, std::nullopt});
  return {};
}

Result<void> MessageTable::write_out() {
  const auto time = [](Query& query, std::optional<WallTime> value) {
    value ? query.with(value->unix_ms) : query.with_null();
  };
  for (const auto& [row, unseen_since] : std::exchange(unwritten_, {})) {
    auto query = database_.query(
        "INSERT INTO message(recipient, id, state, deliveries, delivered_ms, seen_ms, acted_ms, unseen_since_ms) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    query.with(row.recipient.value)
        .with(row.id.value)
        .with(static_cast<std::int64_t>(row.receipt))
        .with(row.deliveries);
    for (const auto& value : {row.delivered, row.seen, row.acted, unseen_since}) time(query, value);
    TRY_VOID(query.run());
  }
  return {};
}

MessageTable::Unwritten* MessageTable::find_unwritten(MemberId recipient, MessageId id) {
  for (auto& unwritten : unwritten_)
    if (unwritten.row.id == id && unwritten.row.recipient == recipient) return &unwritten;
  return nullptr;
}

// The redelivery clock of a message runs while its receiver's turn does not.
Result<std::optional<WallTime>> MessageTable::clock_start(MemberId recipient, WallTime now) {
  auto query = database_.query("SELECT running FROM member WHERE id = ?");
  const bool is_idle = TRY(query.with(recipient.value).next()) && query.integer(0) == 0;
  return is_idle ? std::optional(now) : std::nullopt;
}

// Of the messages that are in the file.
Result<void> MessageTable::for_each_id(const Event& event, const char* sql, bool with_time) {
  const MemberId recipient = member_id_in(event.body);
  for (const auto& id : MemberMessages::ids_in(event.body)) {
    if (find_unwritten(recipient, MessageId(id.get<std::int64_t>())) != nullptr) continue;
    auto query = database_.query(sql);
    if (with_time) query.with(event.at.unix_ms);
    TRY_VOID(query.with(recipient.value).with(id.get<std::int64_t>()).run());
  }
  return {};
}

Result<void> MessageTable::apply_delivered(const Event& event) {
  const MemberId recipient = member_id_in(event.body);
  for (const auto& id : MemberMessages::ids_in(event.body)) {
    Unwritten* message = find_unwritten(recipient, MessageId(id.get<std::int64_t>()));
    if (message == nullptr) continue;
    message->row.receipt = Receipt::delivered;
    ++message->row.deliveries;
    message->row.delivered = event.at;
    message->unseen_since = TRY(clock_start(recipient, event.at));
  }
  return for_each_id(event,
                     sql<"UPDATE message SET state = ", number(Receipt::delivered),
                         ", deliveries = deliveries + 1, delivered_ms = ?1, unseen_since_ms = "
                         "(SELECT CASE running WHEN 0 THEN ?1 END FROM member WHERE id = ?2) "
                         "WHERE recipient = ?2 AND id = ?3">,
                     true);
}

// Who marks what is still queued has it: that is its delivery as well.
Result<void> MessageTable::apply_marked(const Event& event) {
  const Receipt mark = MessagesMarked::mark_in(event.body);
  const bool acted = mark == Receipt::acted;
  const MemberId recipient = member_id_in(event.body);
  for (const auto& id : MemberMessages::ids_in(event.body)) {
    Unwritten* message = find_unwritten(recipient, MessageId(id.get<std::int64_t>()));
    if (message == nullptr) continue;
    MessageRow& row = message->row;
    if (row.receipt == Receipt::queued) ++row.deliveries;
    row.receipt = mark;
    row.delivered = row.delivered.value_or(event.at);
    row.seen = acted ? row.seen.value_or(event.at) : event.at;
    if (acted) row.acted = event.at;
    message->unseen_since.reset();
  }
  return for_each_id(event,
                     acted ? sql<"UPDATE message SET deliveries = deliveries + (state = ", number(Receipt::queued),
                                 "), state = ", number(Receipt::acted),
                                 ", delivered_ms = coalesce(delivered_ms, ?1), seen_ms = coalesce(seen_ms, ?1), "
                                 "acted_ms = ?1, unseen_since_ms = NULL WHERE recipient = ?2 AND id = ?3">
                           : sql<"UPDATE message SET deliveries = deliveries + (state = ", number(Receipt::queued),
                                 "), state = ", number(Receipt::seen),
                                 ", delivered_ms = coalesce(delivered_ms, ?1), seen_ms = ?1, unseen_since_ms = NULL "
                                 "WHERE recipient = ?2 AND id = ?3">,
                     true);
}

Result<void> MessageTable::apply_requeued(const Event& event) {
  TRY_VOID(write_out());
  return for_each_id(event,
                     sql<"UPDATE message SET state = ", number(Receipt::queued),
                         ", unseen_since_ms = NULL WHERE recipient = ? AND id = ?">,
                     false);
}

Result<void> MessageTable::apply_dead(const Event& event) {
  TRY_VOID(write_out());
  return for_each_id(event,
                     sql<"UPDATE message SET state = ", number(Receipt::dead),
                         ", unseen_since_ms = NULL WHERE recipient = ? AND id = ?">,
                     false);
}

Result<void> MessageTable::apply_turn(const Event& event) {
  TRY_VOID(write_out());
  auto query =
      database_.query(sql<"UPDATE message INDEXED BY message_open SET unseen_since_ms = ? WHERE recipient = ? AND ",
                          kUnseenMessage, " AND likely(", kOpenMessage, ")">);
  if (MemberTurn::runs_clock_in(event.body))
    query.with(event.at.unix_ms);
  else
    query.with_null();
  return query.with(member_id_in(event.body).value).run();
}

Result<void> MessageTable::remove_team(TeamId team) {
  TRY_VOID(write_out());
  return database_.query("DELETE FROM message WHERE recipient IN (SELECT id FROM member WHERE team = ?)")
      .with(team.value)
      .run();
}

}  // namespace teamster::store
