// One SQLite file that every process opens for itself: WAL, synchronous=FULL, a long busy
// timeout, one immediate transaction per operation. What most tools of the field do.
#pragma once

#include <string>

#include "bench/subject.h"

namespace teamster::bench {

class SharedSqliteSubject : public Subject {
 public:
  static Result<std::unique_ptr<SharedSqliteSubject>> create(const std::string& directory);

  std::string name() const override { return "shared SQLite"; }
  Result<void> prepare_inbox(std::uint64_t messages) override;
  Prepare sender() override;
  Result<Faults> inspect_messages(const Measured& measured) override;
  Result<void> prepare_tasks(std::uint64_t tasks) override;
  Prepare claimer() override;
  Result<Faults> inspect_claims(const Measured& measured) override;

 private:
  explicit SharedSqliteSubject(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::int64_t inbox_ = 0;  // the one in use
  std::int64_t team_ = 0;
};

}  // namespace teamster::bench
