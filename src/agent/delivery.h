// Delivery: the way of a member's messages from its inbox into its agent, and of the
// receipts back. It looks at the inbox without delivering, hands messages out in order, and
// moves each receipt when there is evidence. One channel per message: what it has handed
// out it does not hand out again, unless the turn failed or the agent's process died with
// it. Owned by HostedMember; driven by the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/receipts.h"
#include "agent/session.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/speech.h"
#include "env/loop.h"
#include "env/registration.h"
#include "env/world.h"
#include "protocol/client/client.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/receipt.h"

namespace teamster::agent {

// Whose messages.
struct Seat {
  std::string team;
  std::string member;
  Epoch epoch;  // 0: none, or it is over
};

struct Letter {
  MessageId id;
  Speech speech;
  bool interrupts = false;
  bool is_again = false;       // handed out before: its turn failed, or the process died
  int failures = 0;            // of its turns, that were nobody else's fault
  std::optional<Json> schema;  // of the answer that is wanted
};

class Delivery {
 public:
  struct Handlers {
    std::function<void()> on_arrival;
    // The member's epoch is over, says the hub.
    std::function<void(const Error& why)> on_over;
  };

  Delivery(const env::World& world, hub::Client& hub, Receipts& receipts, Seat seat, Handlers handlers);

  // Begins to listen, also for what an earlier epoch was told and did not finish.
  void start();
  bool has_letters() const { return !waiting_.empty(); }
  // Of them, some that nobody was told before; and some that were, in turns that came to no good end.
  bool has_new_letters() const;
  bool has_letters_to_tell_again() const;
  bool has_interrupt() const;
  bool has_shutdown_request() const;
  // The next letters for one input, remembered under its id. One that wants an answer of a
  // certain shape comes alone.
  std::vector<Letter> take(const std::string& input);
  // Whether the next letter wants a turn of its own.
  bool next_is_alone() const { return !waiting_.empty() && waiting_.front().schema.has_value(); }

  void input_moved(const std::string& input, InputState state);
  // The agent said or did something: it has seen what it had taken.
  void agent_spoke();
  // The agent has answered this one with a tool, so whatever becomes of the turn it is dealt with.
  void answered(MessageId id) { answered_.insert(id); }
  // A turn failed and the process lives: what it was told waits here to be told again. No later turn deals with it
  // unless it is told it. With `counts` it was the fault of nobody else: what fails so too often is left to the hub.
  void turn_failed(bool counts);
  // The process is gone: what it did not finish is to be told again.
  void process_died();
  // Messages that the inputs carried. Those that are told again at once are left out: a later turn deals with them. Who
  // asked for one that has to wait for that hears how its turn ended. Asked once, when their turn has ended.
  std::vector<MessageId> messages_of(const std::vector<std::string>& inputs, bool is_again_at_once);

 private:
  enum class Stage { handed, taken, unfinished };
  struct Handed {
    std::vector<Letter> letters;
    Stage stage = Stage::handed;
    bool accepted = false;
    bool seen = false;
  };

  void read_unfinished();
  void heard_unfinished(const Result<hub::ReadInbox::Answer>& answer);
  void listen();
  void heard(const Result<hub::WaitForMessages::Answer>& answer);
  void add(const hub::Message& message, bool is_again);
  void let_interrupts_pass();
  void tell_again(const std::function<bool(const Handed&)>& which);
  void mark(const std::vector<Letter>& letters, Receipt receipt);

  env::World world_;
  hub::Client& hub_;
  Receipts& receipts_;
  const Seat seat_;
  Handlers handlers_;
  std::vector<Letter> waiting_;
  std::map<std::string, Handed> handed_;                    // by input
  std::map<std::string, std::vector<MessageId>> of_input_;  // kept until the turn was told
  std::set<MessageId> answered_;                            // by the agent itself, in turns that have not ended well
  env::Registration listening_;                             // the one question to the hub that is open
  env::Timer listen_again_;
};

}  // namespace teamster::agent
