#include "engine/native_members.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/operations.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::event::Asked;

constexpr Duration kMailboxWait = 1h;
constexpr Duration kMailboxAgainAfter = 1s;
constexpr std::size_t kOptionsMax = 20;

// The `ask` of an agent's tools says what it asks as an object, other messages as text.
Asked asked_in(const Json& message) {
  Asked asked{.member = raw_text_in(message, "from"),
              .team = raw_text_in(message, "team"),
              .message = message.value("id", std::int64_t{0}),
              .text = raw_text_in(message, "body")};
  if (raw_text_in(message, "kind") != message_kind::kQuestion) return asked;
  const auto body = parse_json(asked.text);
  if (!body || !body->is_object()) return asked;
  const std::string question = raw_text_in(*body, "question");
  if (question.empty()) return asked;
  asked.text = question;
  asked.expertise = raw_text_in(*body, "expertise");
  const Json& options = field_in(*body, "options");
  if (!options.is_array()) return asked;
  for (const auto& option : options)
    if (option.is_string() && asked.options.size() < kOptionsMax) asked.options.push_back(option.get<std::string>());
  return asked;
}

bool is_question(const Json& message) {
  const std::string kind = raw_text_in(message, "kind");
  return kind == message_kind::kQuestion || kind == message_kind::kMessage;
}

}  // namespace

NativeMembers::NativeMembers(const env::World& world, hub::Client& hub, OnAsked on_asked)
    : world_(world), hub_(hub), calls_(hub), asked_(std::move(on_asked)) {}

NativeMembers::~NativeMembers() = default;

void NativeMembers::join(const std::string& team, const std::string& member,
                         const std::function<void(Result<void>)>& then) {
  const Name name{team, member};
  Json args = {{"team", team}, {"member", member}, {"native", true}};
  calls_.call({operation::kTeamJoin, std::move(args)}, [=, this](const Result<Json>& answer) {
    if (!answer) return then(fail(answer.error()));
    Seat& seat = seats_[name];
    seat.epoch = answer->at("member").value("epoch", std::int64_t{0});
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
  Json args = {{"team", name.first}, {"member", name.second}, {"epoch", seat->second.epoch}};
  args["peek"] = true;
  args["after"] = after;
  seat->second.listening = hub_.call_owned({operation::kMessageWait, std::move(args), kMailboxWait},
                                           [this, name](const Result<Json>& answer) { heard(name, answer); });
}

void NativeMembers::heard(const Name& name, const Result<Json>& answer) {
  const auto seat = seats_.find(name);
  if (seat == seats_.end()) return;
  if (!answer) {
    // Its epoch is over with its team, or another engine has the run.
    if (answer.error().code != Code::unavailable) return;
    seat->second.again = world_.loop.after(kMailboxAgainAfter, [this, name] { listen(name); });
    return;
  }
  for (const auto& message : answer->at("messages")) take(name, message);
  listen(name);
}

void NativeMembers::take(const Name& name, const Json& message) {
  const auto id = message.value("id", std::int64_t{0});
  if (!told_.emplace(id, name).second) return;
  if (!is_question(message)) return recorded(id);
  asked_(asked_in(message));
}

void NativeMembers::recorded(std::int64_t message) {
  const auto told = told_.find(message);
  if (told == told_.end()) return;
  const auto seat = seats_.find(told->second);
  if (seat == seats_.end()) return;
  Json args = {{"team", told->second.first}, {"member", told->second.second}, {"epoch", seat->second.epoch}};
  args["ids"] = Json::array({message});
  args["mark"] = "acted";
  calls_.call({operation::kMessageAck, std::move(args)}, [](const Result<Json>&) {});
}

void NativeMembers::leave(const std::string& team) {
  std::erase_if(seats_, [&](const auto& seat) { return seat.first.first == team; });
}

}  // namespace teamster::engine
