// Strong numbers: ids of different things do not mix by accident. Values; they cost
// nothing over the integer inside.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace teamster {

template <class Tag>
struct Id {
  std::int64_t value = 0;
  constexpr Id() = default;
  constexpr explicit Id(std::int64_t number) : value(number) {}
  auto operator<=>(const Id&) const = default;
};

// Position of an event in the journal. Also the id of the message, team or run the event created.
using Seq = Id<struct SeqTag>;
using TeamId = Id<struct TeamTag>;
using MemberId = Id<struct MemberTag>;
using MessageId = Id<struct MessageTag>;
// Numbered from 1 within a team.
using TaskId = Id<struct TaskTag>;
using Epoch = Id<struct EpochTag>;
using RunId = Id<struct RunTag>;
// Numbered from 1 within a run.
using Lease = Id<struct LeaseTag>;

}  // namespace teamster

template <class Tag>
struct std::hash<teamster::Id<Tag>> {
  std::size_t operator()(const teamster::Id<Tag>& id) const noexcept { return std::hash<std::int64_t>{}(id.value); }
};
