// Host: the process that runs members by hand: one connection to the hub, one keeper, any
// number of members. Owned by the command; driven by its loop. Done when all are gone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/hosted_member.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"

namespace teamster::agent {

class Host {
 public:
  // `done` is called once, when the last member is gone, with the first failure if there was one.
  Host(const env::World& world, hub::Home home, std::function<void(Result<void>)> done);

  // `observer.on_gone` is called as well.
  HostedMember& add(MemberOptions options, MemberObserver observer);
  void stop(const std::string& reason);

 private:
  void one_is_gone(const Result<void>& outcome);

  env::World world_;
  const hub::Home home_;
  hub::Client hub_;
  std::function<void(Result<void>)> done_;
  std::vector<std::unique_ptr<HostedMember>> members_;
  std::size_t gone_ = 0;
  Result<void> outcome_;
};

}  // namespace teamster::agent
