#include "agent/delivery.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "protocol/client/call.h"
#include "protocol/words/message_kinds.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kListenFor = 1h;
// With letters waiting here we listen behind them, and so not for older ones that the hub
// queues again.
constexpr Duration kListenBehindFor = 10s;
constexpr Duration kListenAgainAfter = 1s;

}  // namespace

Delivery::Delivery(const env::World& world, hub::Client& hub, Receipts& receipts, Seat seat, Handlers handlers)
    : world_(world), hub_(hub), receipts_(receipts), seat_(std::move(seat)), handlers_(std::move(handlers)) {}

void Delivery::start() { read_unfinished(); }

// What an earlier epoch saw and did not act on: its turn was cut.
void Delivery::read_unfinished() {
  listening_ = hub::ask_owned(
      hub_, hub::ReadInbox{.team = seat_.team, .member = seat_.member, .peek = true, .epoch = seat_.epoch},
      [this](const Result<hub::ReadInbox::Answer>& answer) { heard_unfinished(answer); });
}

void Delivery::heard_unfinished(const Result<hub::ReadInbox::Answer>& answer) {
  if (!answer) {
    if (answer.error().code != Code::unavailable) return handlers_.on_over(answer.error());
    listen_again_ = world_.loop.after(kListenAgainAfter, [this] { read_unfinished(); });
    return;
  }
  for (const auto& message : answer->items)
    if (message.receipt != Receipt::queued) add(message, true);
  if (has_letters()) handlers_.on_arrival();
  listen();
}

void Delivery::listen() {
  // Behind those that wait here, and those whose receipts are on their way: they are queued still.
  MessageId after;
  for (const MessageId id : receipts_.untold_messages()) after = std::max(after, id);
  for (const auto& letter : waiting_) after = std::max(after, letter.id);
  for (const auto& [input, handed] : handed_)
    if (handed.stage == Stage::handed)
      for (const auto& letter : handed.letters) after = std::max(after, letter.id);
  listening_ = hub::ask_owned(
      hub_,
      hub::WaitForMessages{
          .team = seat_.team, .member = seat_.member, .peek = true, .after = after.value, .epoch = seat_.epoch},
      {.wait = after.value > 0 ? kListenBehindFor : kListenFor},
      [this](const Result<hub::WaitForMessages::Answer>& answer) { heard(answer); });
}

void Delivery::heard(const Result<hub::WaitForMessages::Answer>& answer) {
  if (!answer) {
    if (answer.error().code != Code::unavailable) return handlers_.on_over(answer.error());
    listen_again_ = world_.loop.after(kListenAgainAfter, [this] { listen(); });
    return;
  }
  // What we were asked to wait for may have been handed out here before the hub came back to answer.
  const auto untold = receipts_.untold_messages();
  for (const auto& message : *answer)
    if (!untold.contains(message.id)) add(message, false);
  if (has_letters()) handlers_.on_arrival();
  listen();
}

void Delivery::add(const hub::Message& message, bool is_again) {
  waiting_.push_back({.id = message.id,
                      .speech = speech_of(message),
                      .interrupts = message.interrupts(),
                      .is_again = is_again || message.deliveries > 0,
                      .schema = message.schema});
}

bool Delivery::has_new_letters() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Letter& letter) { return !letter.is_again; });
}

bool Delivery::has_letters_to_tell_again() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Letter& letter) { return letter.is_again; });
}

bool Delivery::has_interrupt() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Letter& letter) { return letter.interrupts; });
}

bool Delivery::has_shutdown_request() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Letter& letter) { return letter.speech.kind == message_kind::kShutdownRequest; });
}

// Otherwise in order, but one that wants a turn of its own must not hold up an interrupt.
void Delivery::let_interrupts_pass() {
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [](const Letter& each) { return each.interrupts; });
  std::stable_partition(waiting_.begin(), last.base(),
                        [](const Letter& each) { return each.interrupts || !each.schema; });
}

std::vector<Letter> Delivery::take(const std::string& input) {
  let_interrupts_pass();
  std::vector<Letter> letters;
  std::size_t bytes = 0;
  while (letters.size() < waiting_.size()) {
    const Letter& next = waiting_[letters.size()];
    bytes += next.speech.body.size();
    const bool fits = bytes <= limits::kPageMaxBytes && !next.schema && !(letters.size() == 1 && letters[0].schema);
    if (!letters.empty() && !fits) break;
    letters.push_back(next);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(letters.size()));
  for (const auto& letter : letters) of_input_[input].push_back(letter.id);
  handed_[input] = {.letters = letters};
  return letters;
}

void Delivery::input_moved(const std::string& input, InputState state) {
  const auto found = handed_.find(input);
  if (found == handed_.end()) return;
  Handed& handed = found->second;
  switch (state) {
    case InputState::accepted:
      handed.accepted = true;
      return mark(handed.letters, Receipt::delivered);
    case InputState::taken:
      if (handed.stage == Stage::handed) handed.stage = Stage::taken;
      return;
    case InputState::done:
      mark(handed.letters, Receipt::acted);
      for (const auto& letter : handed.letters) answered_.erase(letter.id);
      handed_.erase(found);
      return;
    case InputState::failed:
      handed.stage = Stage::unfinished;
      return;
  }
}

void Delivery::agent_spoke() {
  for (auto& [input, handed] : handed_)
    if (handed.stage == Stage::taken && !std::exchange(handed.seen, true)) mark(handed.letters, Receipt::seen);
}

void Delivery::turn_failed(bool counts) {
  for (auto it = handed_.begin(); it != handed_.end();) {
    Handed& handed = it->second;
    if (handed.stage != Stage::unfinished) {
      ++it;
      continue;
    }
    for (auto& letter : handed.letters) letter.failures += counts ? 1 : 0;
    std::vector<Letter> given_up;
    const auto is_hopeless = [](const Letter& letter) { return letter.failures >= limits::kDeliveriesMax; };
    std::copy_if(handed.letters.begin(), handed.letters.end(), std::back_inserter(given_up), is_hopeless);
    std::erase_if(handed.letters, is_hopeless);
    // What was not even accepted counts as a try, or the hub would not know of any.
    if (!handed.accepted) mark(given_up, Receipt::delivered);
    it = handed.letters.empty() ? handed_.erase(it) : std::next(it);
  }
  tell_again([](const Handed& handed) { return handed.stage == Stage::unfinished; });
}

void Delivery::process_died() {
  tell_again([](const Handed&) { return true; });
}

void Delivery::tell_again(const std::function<bool(const Handed&)>& which) {
  std::vector<Letter> again;
  for (const auto& [input, handed] : handed_) {
    if (!which(handed)) continue;
    // The hub must not hand it out, too, while it waits here.
    if (!handed.accepted) mark(handed.letters, Receipt::delivered);
    for (Letter letter : handed.letters) {
      if (answered_.contains(letter.id)) continue;
      letter.is_again = true;
      again.push_back(std::move(letter));
    }
  }
  std::erase_if(handed_, [&](const auto& entry) { return which(entry.second); });
  std::sort(again.begin(), again.end(), [](const Letter& a, const Letter& b) { return a.id < b.id; });
  waiting_.insert(waiting_.begin(), again.begin(), again.end());
}

std::vector<MessageId> Delivery::messages_of(const std::vector<std::string>& inputs, bool is_again_at_once) {
  std::vector<MessageId> ids;
  for (const auto& input : inputs) {
    const auto found = of_input_.extract(input);
    if (!found.empty()) ids.insert(ids.end(), found.mapped().begin(), found.mapped().end());
  }
  if (!is_again_at_once) return ids;
  std::erase_if(ids, [this](MessageId id) {
    return std::any_of(waiting_.begin(), waiting_.end(), [id](const Letter& letter) { return letter.id == id; });
  });
  return ids;
}

void Delivery::mark(const std::vector<Letter>& letters, Receipt receipt) {
  if (letters.empty()) return;
  std::vector<MessageId> ids;
  for (const auto& letter : letters) ids.push_back(letter.id);
  // A refusal means that the epoch is over, which the listening hears too.
  receipts_.tell(hub::AcknowledgeMessages{
      .team = seat_.team, .member = seat_.member, .ids = std::move(ids), .mark = receipt, .epoch = seat_.epoch});
}

}  // namespace teamster::agent
