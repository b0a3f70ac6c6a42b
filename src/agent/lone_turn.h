// LoneTurn: one question to an agent of no team: it is started, asked, asked once more when its answer has another
// shape than it must have, and ended. No hub, no mailbox, no record. Owned by whoever asks; driven by the loop; calls
// back once. Destroying it ends the agent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/answer.h"
#include "agent/driver.h"
#include "agent/permission.h"
#include "agent/session.h"
#include "base/result.h"
#include "env/later.h"
#include "env/world.h"
#include "schema/schema.h"

namespace teamster::agent {

struct LoneTurnOptions {
  const Driver* driver = nullptr;
  StartOptions start;  // with its environment
  PermissionPolicy permissions;
  std::string prompt;
  Json schema;  // of the answer
};

class LoneTurn : private SessionListener {
 public:
  // The answer, or why there is none.
  using Done = std::function<void(Result<Json> answer)>;

  LoneTurn(const env::World& world, LoneTurnOptions options, Done done);
  ~LoneTurn() override;
  LoneTurn(const LoneTurn&) = delete;
  LoneTurn& operator=(const LoneTurn&) = delete;

 private:
  void on_activity(const Activity&) override {}
  void on_input(const std::string&, InputState) override {}
  void on_turn_started() override {}
  void on_turn_ended(const TurnEnd& end) override;
  PermissionAnswer on_permission(const PermissionRequest& request) override;
  void on_resumable(const std::string&) override {}
  void on_ended(const SessionEnd& end) override;

  Result<void> begin();
  void say(std::string text);
  // The agent is sent away first; its end is waited for.
  void settle(Result<Json> answer);
  void tell();

  env::World world_;
  const LoneTurnOptions options_;
  Done done_;
  std::optional<schema::Schema> schema_;
  std::unique_ptr<Session> session_;
  std::optional<Result<Json>> answer_;
  bool is_mending_ = false;
  int inputs_ = 0;
  env::Later later_;
};

}  // namespace teamster::agent
