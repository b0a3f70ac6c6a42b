#include "engine/native_members.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/asked_message.h"
#include "protocol/client/call.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/message_kinds.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;

constexpr Duration kMailboxWait = 1h;
constexpr Duration kMailboxAgainAfter = 1s;

bool is_question(const hub::Message& message) {
  return message.kind == message_kind::kQuestion || message.kind == message_kind::kMessage;
}

}  // namespace

NativeMembers::NativeMembers(const env::World& world, hub::Client& hub, OnAsked on_asked)
    : world_(world), hub_(hub), calls_(hub), asked_(std::move(on_asked)) {}

NativeMembers::~NativeMembers() = default;

void NativeMembers::join(const std::string& team, const std::string& member,
                         const std::function<void(Result<void>)>& then) {
  const Name name{team, member};
  hub::JoinTeam join{.team = team, .member = member, .is_native = true};
  hub::ask(calls_, std::move(join), [=, this](const Result<hub::NewMember>& joined) {
    if (!joined) return then(fail(joined.error()));
    seats_[name].epoch = joined->epoch;
    listen(name);
    then({});
  });
}

// What is queued is not delivered before the journal has it: so nothing is lost with this process.
void NativeMembers::listen(const Name& name) {
  const auto seat = seats_.find(name);
  if (seat == seats_.end()) return;
  std::int64_t after = 0;
  for (const auto& [message, whose] : told_)
    if (whose == name) after = std::max(after, message);
  hub::WaitForMessages wait{
      .team = name.first, .member = name.second, .peek = true, .after = after, .epoch = seat->second.epoch};
  seat->second.listening =
      hub::ask_owned(hub_, std::move(wait), {.wait = kMailboxWait},
                     [this, name](const Result<hub::WaitForMessages::Answer>& messages) { heard(name, messages); });
}

void NativeMembers::heard(const Name& name, const Result<hub::WaitForMessages::Answer>& messages) {
  const auto seat = seats_.find(name);
  if (seat == seats_.end()) return;
  if (!messages) {
    // Its epoch is over with its team, or another engine has the run.
    if (messages.error().code != Code::unavailable) return;
    seat->second.again = world_.loop.after(kMailboxAgainAfter, [this, name] { listen(name); });
    return;
  }
  for (const auto& message : *messages) take(name, message);
  listen(name);
}

void NativeMembers::look(const std::string& team, const std::function<void()>& then) {
  std::vector<Name> names;
  for (const auto& [name, seat] : seats_)
    if (name.first == team) names.push_back(name);
  if (names.empty()) return then();
  auto left = std::make_shared<std::size_t>(names.size());
  for (const auto& name : names) {
    hub::WaitForMessages peek{
        .team = team, .member = name.second, .peek = true, .after = 0, .epoch = seats_.at(name).epoch};
    hub::ask(calls_, std::move(peek), {.wait = Duration::zero()},
             [=, this](const Result<hub::WaitForMessages::Answer>& messages) {
               if (messages)
                 for (const auto& message : *messages) take(name, message);
               if (--*left == 0) then();
             });
  }
}

void NativeMembers::take(const Name& name, const hub::Message& message) {
  if (!told_.emplace(message.id.value, name).second) return;
  if (!is_question(message)) return recorded(message.id.value);
  asked_(asked_in(message));
}

void NativeMembers::recorded(std::int64_t message) {
  const auto told = told_.find(message);
  if (told == told_.end()) return;
  const auto seat = seats_.find(told->second);
  if (seat == seats_.end()) return;
  hub::AcknowledgeMessages acted{.team = told->second.first,
                                 .member = told->second.second,
                                 .ids = {MessageId(message)},
                                 .mark = Receipt::acted,
                                 .epoch = seat->second.epoch};
  hub::ask(calls_, std::move(acted), [](const Result<hub::AcknowledgeMessages::Answer>&) {});
}

void NativeMembers::leave(const std::string& team) {
  std::erase_if(seats_, [&](const auto& seat) { return seat.first.first == team; });
}

}  // namespace teamster::engine
