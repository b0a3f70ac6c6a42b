// teamster itself: the real hub as its own process, in a home on the real disk; workers
// are members with their tokens, as agents are. The hub is killed with SIGKILL before
// claims are inspected, so what was acknowledged must have been on disk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "bench/child_process.h"
#include "bench/subject.h"
#include "protocol/client/home.h"

namespace teamster::bench {

class HubConnection;

class TeamsterSubject : public Subject {
 public:
  struct Options {
    std::string binary;
    std::string home;
    int senders_max;
    int claimers_max;
  };
  static Result<std::unique_ptr<TeamsterSubject>> create(const Options& options);

  std::string name() const override { return "teamster"; }
  Result<void> prepare_inbox(std::uint64_t messages) override;
  Prepare sender() override;
  Result<Faults> inspect_messages(const Measured& measured) override;
  Result<void> prepare_tasks(std::uint64_t tasks) override;
  Prepare claimer() override;
  Result<Faults> inspect_claims(const Measured& measured) override;

  // Makes a team of these members, with a hub running.
  Result<void> create_team(const std::string& team, const std::vector<std::string>& members);
  Result<void> ensure_hub();
  // By SIGKILL: what it acknowledged is in its files.
  void stop_hub() { hub_.kill(); }
  const hub::Home& home() const { return home_; }
  const std::string& binary() const { return options_.binary; }
  std::vector<std::string> environment() const;

  Memory memory() const { return hub_.memory(); }
  // The most of any hub so far.
  std::uint64_t peak_memory();

 private:
  explicit TeamsterSubject(const Options& options) : options_(options), home_(options.home) {}
  Result<void> fill_inbox(HubConnection& connection, std::uint64_t messages);

  Options options_;
  hub::Home home_;
  ChildProcess hub_;
  std::uint64_t peak_memory_ = 0;
  std::string inbox_;
  std::map<std::uint64_t, std::string> kept_inboxes_;  // large ones, by level
  int inboxes_ = 0;
  std::string claim_team_;
  int claim_teams_ = 0;
  std::int64_t journal_cursor_ = 0;
};

}  // namespace teamster::bench
