// The way teams of agents keep their mail today: one JSON array per inbox, and each
// sender locks it, reads it whole, appends and writes it anew. With and without fsync.
#pragma once

#include <string>

#include "bench/subject.h"

namespace teamster::bench {

class JsonFileSubject : public Subject {
 public:
  enum class Sync { no, yes };
  JsonFileSubject(std::string directory, Sync sync) : directory_(std::move(directory)), sync_(sync) {}

  std::string name() const override { return sync_ == Sync::yes ? "JSON file + fsync" : "JSON file"; }
  Result<void> prepare_inbox(std::uint64_t messages) override;
  Prepare sender() override;
  Result<Faults> inspect_messages(const Measured& measured) override;

  // Task lists in files are not measured.
  Result<void> prepare_tasks(std::uint64_t) override { return fail(Code::invalid, "no task list"); }
  Prepare claimer() override { return {}; }
  Result<Faults> inspect_claims(const Measured&) override { return Faults(); }

 private:
  std::string directory_;
  Sync sync_;
  std::uint64_t filled_ = 0;
};

}  // namespace teamster::bench
