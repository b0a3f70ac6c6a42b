#include "agent/host.h"

namespace teamster::agent {

Host::Host(const env::World& world, hub::Home home, std::function<void(Result<void>)> done)
    : world_(world),
      home_(home),
      hub_(world, std::move(home), hub::Access::operator_of_home()),
      done_(std::move(done)) {}

HostedMember& Host::add(MemberOptions options, MemberObserver observer) {
  observer.on_gone = [this, inner = std::move(observer.on_gone)](const Result<void>& outcome) {
    inner(outcome);
    one_is_gone(outcome);
  };
  members_.push_back(std::make_unique<HostedMember>(world_, hub_, home_, std::move(options), std::move(observer)));
  members_.back()->start();
  return *members_.back();
}

void Host::stop(const std::string& reason) {
  for (const auto& member : members_) member->stop(reason);
}

void Host::one_is_gone(const Result<void>& outcome) {
  if (!outcome && outcome_) outcome_ = outcome;
  if (++gone_ == members_.size()) done_(outcome_);
}

}  // namespace teamster::agent
