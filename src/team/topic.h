// Topic: what a parked request waits for. Each event touches some topics; the requests
// parked on them run again inside the same transaction.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "store/event.h"

namespace teamster::team {

struct Topic {
  enum class Kind { inbox, tasks, team, run, told, journal };
  Kind kind;
  std::int64_t id;  // member, team, team, run, run, 0
  auto operator<=>(const Topic&) const = default;

  static Topic inbox(MemberId member) { return {Kind::inbox, member.value}; }
  static Topic tasks(TeamId team) { return {Kind::tasks, team.value}; }
  static Topic lifecycle(TeamId team) { return {Kind::team, team.value}; }
  static Topic records(RunId run) { return {Kind::run, run.value}; }
  // What others than its holder put into a run. Apart, so that a holder is not woken by itself.
  static Topic told(RunId run) { return {Kind::told, run.value}; }
  static Topic journal() { return {Kind::journal, 0}; }
};

std::vector<Topic> topics_of(const store::Event& event);

}  // namespace teamster::team
