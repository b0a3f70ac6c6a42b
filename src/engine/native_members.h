// NativeMembers: the members of a run's teams that are parts of the engine, as `lead`: on the roster, with a mailbox
// that is read, and without an agent. What another member writes to one of them is a question of the run; other kinds
// of messages are only taken note of. A message is marked as dealt with when the run's journal has it, so one that an
// engine before this one did not record is heard again. Owned by Crew; on its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "env/loop.h"
#include "env/registration.h"
#include "env/world.h"
#include "protocol/client/calls.h"
#include "protocol/client/message_calls.h"
#include "workflow/core/events.h"

namespace teamster::engine {

class NativeMembers {
 public:
  using OnAsked = std::function<void(workflow::event::Asked asked)>;

  NativeMembers(const env::World& world, hub::Client& hub, OnAsked asked);
  ~NativeMembers();

  // Puts it on the roster as a new epoch and begins to read; `then` when it is there.
  void join(const std::string& team, const std::string& member, const std::function<void(Result<void>)>& then);
  bool has(const std::string& team, const std::string& member) const { return seats_.count({team, member}) != 0; }
  // Reads what is in the mailboxes of the team now, and calls back when the run was told of it.
  void look(const std::string& team, const std::function<void()>& then);
  // The journal of the run has it.
  void recorded(std::int64_t message);
  void leave(const std::string& team);

 private:
  struct Seat {
    Epoch epoch;
    env::Registration listening;
    env::Timer again;
  };
  using Name = std::pair<std::string, std::string>;

  void listen(const Name& name);
  void heard(const Name& name, const Result<hub::WaitForMessages::Answer>& messages);
  void take(const Name& name, const hub::Message& message);

  env::World world_;
  hub::Client& hub_;
  hub::Calls calls_;
  OnAsked asked_;
  std::map<Name, Seat> seats_;
  std::map<std::int64_t, Name> told_;  // messages that the run was told of, by whom they were for
};

}  // namespace teamster::engine
