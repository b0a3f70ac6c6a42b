// RealTeam: a home with one team, a scripted model, and members that are the real Claude Code,
// started by the real teamster. Each member has a dummy key of its own, by which the model's
// script knows it. Ends everything it started, and fails the test when something cannot be ended.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/fixture.h"
#include "model_server/running_server_for_test.h"
#include "real/replies.h"

namespace teamster::real {

using e2e::eventually;
using e2e::Milliseconds;
using e2e::Outcome;
using e2e::Words;
using namespace std::chrono_literals;

inline const std::string kTeam = "real";

class RealTeam {
 public:
  // The conversations are those of members that are agents; the others are names on the roster.
  RealTeam(const Words& members, const Turns& conversations);

  e2e::Home& home() { return home_; }
  const model::RunningServer& server() const { return *server_; }
  // Where the agents work, and what a member has for itself.
  const std::string& work() const { return work_; }
  std::string private_directory(const std::string& member) const;

  // Connections to the model are refused until it is started again, at the same address.
  void end_server();
  void start_server_again(const Turns& conversations);

  // teamster agent start --detach, and that it succeeds.
  Json start(const std::string& member, const Words& more = {});
  // teamster agent say, and that it succeeds.
  Json say_to(const std::string& member, const std::string& text, const Words& more = {});
  // That the turn fails: exit 1, and a document with the error.
  Outcome say_in_vain(const std::string& member, const std::string& text, const Words& more = {});
  // As a child of the test, for what happens meanwhile.
  e2e::Process say_aside(const std::string& member, const std::string& text, const Words& more = {});
  // Without waiting for an answer; the message's number.
  std::int64_t tell(const std::string& member, const std::string& text);
  Json stop(const std::string& member);
  // What `agent list` says about it; null when it is not there.
  Json listed(const std::string& member);
  // Waits until it is listed in this state.
  bool has_state(const std::string& member, const std::string& state);
  pid_t agent_of(const std::string& member);
  pid_t host_of(const std::string& member);
  pid_t keeper_of(const std::string& member);
  // Waits until it has an agent other than this one.
  bool has_agent_after(const std::string& member, pid_t earlier);

  std::string receipt_of(std::int64_t message);
  bool has_receipt(std::int64_t message, const std::string& receipt);
  // What the journal says about a message, in its order, with the turns of the member around it.
  Words story_of(const std::string& member, std::int64_t message);
  // Its entries of this kind.
  std::vector<Json> transcript_of(const std::string& member, const std::string& kind);

  // Requests that the model got from this member.
  std::vector<Json> requests_of(const std::string& member) const;
  // Waits until there are so many.
  bool has_requests(const std::string& member, std::size_t count) const;

  // Processes of this home whose command line contains the text; "" is all but the hub.
  std::vector<pid_t> processes(const std::string& text = "") const;
  // Waits until none is left, hub aside.
  bool nothing_is_left(Milliseconds limit = 20s) const;
  // Command lines of what is left, for the message of a failed expectation.
  std::string leftovers() const;

 private:
  std::unique_ptr<model::RunningServer> server_;  // ends after the home, and so after its agents
  e2e::Home home_;
  std::string work_;
};

// The real program, as run.sh has passed it on.
std::string claude_program();

// What a command printed as its document.
Json document_of(const e2e::Process& process);

}  // namespace teamster::real
