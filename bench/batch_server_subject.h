// The limit as a subject: requests of teamster's size, sent to the bare batch server. It
// keeps no inbox and no tasks, so there is nothing to prepare and nothing to inspect.
#pragma once

#include <string>

#include "bench/batch_server.h"
#include "bench/subject.h"

namespace teamster::bench {

class BatchServerSubject : public Subject {
 public:
  explicit BatchServerSubject(const BatchServer& server) : socket_path_(server.socket_path()) {}

  std::string name() const override { return "limit (batch server)"; }
  Result<void> prepare_inbox(std::uint64_t) override { return {}; }
  Prepare sender() override;
  Result<Faults> inspect_messages(const Measured&) override { return Faults(); }
  Result<void> prepare_tasks(std::uint64_t) override { return {}; }
  Prepare claimer() override;
  Result<Faults> inspect_claims(const Measured&) override { return Faults(); }
  // What the engine appends for one step.
  Prepare recorder();

 private:
  Prepare storing(std::string payload) const;
  std::string socket_path_;
};

}  // namespace teamster::bench
