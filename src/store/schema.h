// The tables of the store, format 7 (docs/formats/store.md): the journal, which is the
// truth, and the projections, which can be dropped and made again from it.
#pragma once

#include <array>
#include <string_view>

#include "protocol/words/record_kinds.h"
#include "store/sql_text.h"

namespace teamster::store {

inline constexpr int kFormat = 7;
// "tmst": says whose file it is.
inline constexpr int kApplicationId = 0x746d7374;

// Conditions of partial indexes: SQLite takes such an index only where its condition stands in the statement.
inline constexpr SqlPart kFromOthers =
    concatenated<"kind IN ('", SqlPart(kind::kRunTold), "', '", SqlPart(kind::kRunLeased), "')">();
inline constexpr SqlPart kOpenMessage = concatenated<"state < ", number(Receipt::acted)>();
inline constexpr SqlPart kUnseenMessage = concatenated<"state = ", number(Receipt::delivered)>();

// `key` and `answer` stand on the first event of the request that wrote it.
// `run` and `n` stand last, where a migration puts them.
inline constexpr const char* kJournalSchema = sql<R"sql(
CREATE TABLE journal(
  seq    INTEGER PRIMARY KEY,
  at_ms  INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  team   INTEGER NOT NULL,
  actor  TEXT NOT NULL,
  body   TEXT NOT NULL,
  key    TEXT,
  digest INTEGER,
  answer TEXT,
  run    INTEGER NOT NULL DEFAULT 0,
  n      INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX journal_key ON journal(key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX journal_run ON journal(run, n) WHERE run <> 0;
CREATE INDEX journal_others ON journal(run, n) WHERE )sql",
                                                  kFromOthers, ";\n">;

// From format 2 to 3. Formats 2, 5, 6 and 7 changed projections alone.
inline constexpr const char* kJournalToFormat3 = R"sql(
ALTER TABLE journal ADD COLUMN run INTEGER NOT NULL DEFAULT 0;
ALTER TABLE journal ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX journal_run ON journal(run, n) WHERE run <> 0;
)sql";

inline constexpr const char* kJournalToFormat4 = sql<R"sql(
CREATE INDEX journal_others ON journal(run, n) WHERE )sql",
                                                     kFromOthers, ";\n">;

inline constexpr const char* kProjectionSchema = sql<R"sql(
CREATE TABLE team(
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  deleted_ms INTEGER,
  owner      TEXT,
  shutdown_ms     INTEGER,
  shutdown_due_ms INTEGER,
  project    TEXT NOT NULL,
  tag        TEXT NOT NULL);
CREATE UNIQUE INDEX team_name ON team(name, tag) WHERE deleted_ms IS NULL;
CREATE INDEX team_shutdown ON team(shutdown_due_ms) WHERE shutdown_due_ms IS NOT NULL;

CREATE TABLE member(
  id        INTEGER PRIMARY KEY,
  team      INTEGER NOT NULL,
  name      TEXT NOT NULL,
  epoch     INTEGER NOT NULL,
  live      INTEGER NOT NULL,
  running   INTEGER NOT NULL,
  native    INTEGER NOT NULL DEFAULT 0,
  joined_ms INTEGER NOT NULL,
  left_ms   INTEGER,
  left_why  TEXT,
  shutdown_answer TEXT,
  turns              INTEGER NOT NULL DEFAULT 0,
  input_tokens       INTEGER NOT NULL DEFAULT 0,
  output_tokens      INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens  INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  cost_microusd      INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX member_name ON member(team, name);

CREATE TABLE message(
  recipient    INTEGER NOT NULL,
  id           INTEGER NOT NULL,
  state        INTEGER NOT NULL,
  deliveries   INTEGER NOT NULL,
  delivered_ms INTEGER,
  seen_ms      INTEGER,
  acted_ms     INTEGER,
  unseen_since_ms INTEGER,
  PRIMARY KEY(recipient, id)) WITHOUT ROWID;
CREATE INDEX message_open ON message(recipient, state, id) WHERE )sql",
                                                     kOpenMessage, R"sql(;
CREATE INDEX message_unseen ON message(unseen_since_ms) WHERE )sql",
                                                     kUnseenMessage, R"sql(;

CREATE TABLE ended_prompt(
  team   INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  PRIMARY KEY(team, prompt)) WITHOUT ROWID;

CREATE TABLE task(
  team        INTEGER NOT NULL,
  id          INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  unmet       INTEGER NOT NULL,
  linked      INTEGER NOT NULL,
  owner       INTEGER,
  owner_epoch INTEGER,
  token       TEXT,
  reserved    INTEGER NOT NULL,
  created_ms  INTEGER NOT NULL,
  updated_ms  INTEGER NOT NULL,
  PRIMARY KEY(team, id)) WITHOUT ROWID;

CREATE TABLE task_text(
  team        INTEGER NOT NULL,
  id          INTEGER NOT NULL,
  subject     TEXT NOT NULL,
  description TEXT NOT NULL,
  metadata    TEXT NOT NULL,
  reserved    TEXT,
  PRIMARY KEY(team, id)) WITHOUT ROWID;

CREATE TABLE task_blocker(
  team    INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  blocker INTEGER NOT NULL,
  PRIMARY KEY(team, blocked, blocker)) WITHOUT ROWID;
CREATE INDEX task_blocks ON task_blocker(team, blocker, blocked);

CREATE TABLE run(
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  workflow   TEXT NOT NULL,
  key        TEXT,
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER,
  status     TEXT NOT NULL,
  lease      INTEGER NOT NULL,
  holder     TEXT NOT NULL,
  lease_ms   INTEGER NOT NULL,
  renewed_ms INTEGER NOT NULL,
  last_n     INTEGER NOT NULL,
  own_n      INTEGER NOT NULL);
CREATE UNIQUE INDEX run_name ON run(name);
CREATE UNIQUE INDEX run_key ON run(workflow, key) WHERE ended_ms IS NULL AND key IS NOT NULL;
CREATE INDEX run_live ON run(id) WHERE ended_ms IS NULL;
CREATE INDEX run_ended ON run(ended_ms) WHERE ended_ms IS NOT NULL;
)sql">;

inline constexpr std::array<std::string_view, 8> kProjectionTables = {
    "team", "member", "message", "ended_prompt", "task", "task_text", "task_blocker", "run"};

}  // namespace teamster::store
