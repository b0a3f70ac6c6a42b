// SqliteJournal: the journal as a table of the store's file. A batch is one transaction, so that projections in the
// same file change together with it. Borrows the database of the store.
#pragma once

#include <string>

#include "store/database.h"
#include "store/journal.h"

namespace teamster::store {

class SqliteJournal : public Journal {
 public:
  SqliteJournal(Database& database, std::string path) : database_(database), path_(std::move(path)) {}

  Result<void> lock() override;
  Result<Seq> newest() override;
  Result<void> prepare() override;
  Result<void> append(std::span<const Event> events, const std::optional<RequestMark>& mark) override;
  Result<void> settle() override;
  void abandon() override;
  Result<std::optional<RecordedAnswer>> find_answer(const std::string& key) override;
  Result<std::string> highest_key(std::string_view below) override;
  Result<std::optional<Event>> event(Seq seq) override;
  Result<std::size_t> body_bytes(Seq seq) override;
  Result<JournalPage> follow(const JournalCursor& cursor) override;
  Result<RunPage> follow_run(RunId run, const RunCursor& cursor,
                             const std::function<void(const NumberedRecord&)>& take) override;
  Result<std::int64_t> count() override;
  Result<std::int64_t> remove(TeamId team) override;
  Result<std::int64_t> remove(RunId run) override;

 private:
  Database& database_;
  const std::string path_;
  std::optional<Seq> newest_;  // once it was asked for; not after a batch was abandoned
};

}  // namespace teamster::store
