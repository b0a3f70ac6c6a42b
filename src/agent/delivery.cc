#include "agent/delivery.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/limits.h"

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
  Json args = seat_.json();
  args["peek"] = true;
  listening_ = hub_.call_owned({"message.inbox", std::move(args)},
                               [this](const Result<Json>& answer) { heard_unfinished(answer); });
}

void Delivery::heard_unfinished(const Result<Json>& answer) {
  if (!answer) {
    if (answer.error().code != Code::unavailable) return handlers_.on_over(answer.error());
    listen_again_ = world_.loop.after(kListenAgainAfter, [this] { read_unfinished(); });
    return;
  }
  for (const auto& message : answer->at("messages"))
    if (message.value("receipt", "") != "queued") add(message, true);
  if (has_letters()) handlers_.on_arrival();
  listen();
}

void Delivery::listen() {
  Json args = seat_.json();
  args["peek"] = true;
  // Behind those that wait here, and those whose receipts are on their way: they are queued still.
  std::int64_t after = 0;
  for (const std::int64_t id : receipts_.untold_messages()) after = std::max(after, id);
  for (const auto& letter : waiting_) after = std::max(after, letter.speech.id);
  for (const auto& [input, handed] : handed_)
    if (handed.stage == Stage::handed)
      for (const auto& letter : handed.letters) after = std::max(after, letter.speech.id);
  args["after"] = after;
  listening_ = hub_.call_owned({"message.wait", std::move(args), after > 0 ? kListenBehindFor : kListenFor},
                               [this](Result<Json> answer) { heard(std::move(answer)); });
}

void Delivery::heard(Result<Json> answer) {
  if (!answer) {
    if (answer.error().code != Code::unavailable) return handlers_.on_over(answer.error());
    listen_again_ = world_.loop.after(kListenAgainAfter, [this] { listen(); });
    return;
  }
  // What we were asked to wait for may have been handed out here before the hub came back to answer.
  const auto untold = receipts_.untold_messages();
  for (const auto& message : (*answer)["messages"])
    if (!untold.contains(message.value("id", std::int64_t{0}))) add(message, false);
  if (has_letters()) handlers_.on_arrival();
  listen();
}

void Delivery::add(const Json& message, bool is_again) {
  Letter letter;
  letter.speech = speech_of(message);
  letter.interrupts = message.value("priority", "normal") == "interrupt";
  letter.is_again = is_again || message.value("deliveries", 0) > 0;
  if (message.contains("schema")) letter.schema = message["schema"];
  waiting_.push_back(std::move(letter));
}

bool Delivery::has_interrupt() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Letter& letter) { return letter.interrupts; });
}

bool Delivery::has_shutdown_request() const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const Letter& letter) { return letter.speech.kind == "shutdown_request"; });
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
  for (const auto& letter : letters) of_input_[input].push_back(letter.speech.id);
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
      return mark(handed.letters, "delivered");
    case InputState::taken:
      if (handed.stage == Stage::handed) handed.stage = Stage::taken;
      return;
    case InputState::done:
      mark(handed.letters, "acted");
      handed_.erase(found);
      return;
    case InputState::failed:
      handed.stage = Stage::unfinished;
      return;
  }
}

void Delivery::agent_spoke() {
  for (auto& [input, handed] : handed_)
    if (handed.stage == Stage::taken && !std::exchange(handed.seen, true)) mark(handed.letters, "seen");
}

void Delivery::turn_went_well() {
  for (auto it = handed_.begin(); it != handed_.end();) {
    if (it->second.stage != Stage::unfinished) {
      ++it;
      continue;
    }
    mark(it->second.letters, "acted");
    it = handed_.erase(it);
  }
}

void Delivery::turn_failed(bool now) {
  const auto unseen = [](const Handed& handed) { return handed.stage == Stage::unfinished && !handed.seen; };
  if (now) return tell_again(unseen);
  // What was not even accepted counts as a try, or it would be tried again without a pause.
  for (const auto& [input, handed] : handed_)
    if (unseen(handed) && !handed.accepted) mark(handed.letters, "delivered");
  std::erase_if(handed_, [&](const auto& entry) { return unseen(entry.second); });
}

void Delivery::process_died() {
  tell_again([](const Handed&) { return true; });
}

void Delivery::tell_again(const std::function<bool(const Handed&)>& which) {
  std::vector<Letter> again;
  for (const auto& [input, handed] : handed_) {
    if (!which(handed)) continue;
    for (Letter letter : handed.letters) {
      letter.is_again = true;
      again.push_back(std::move(letter));
    }
  }
  std::erase_if(handed_, [&](const auto& entry) { return which(entry.second); });
  std::sort(again.begin(), again.end(), [](const Letter& a, const Letter& b) { return a.speech.id < b.speech.id; });
  waiting_.insert(waiting_.begin(), again.begin(), again.end());
}

std::vector<std::int64_t> Delivery::messages_of(const std::vector<std::string>& inputs) {
  std::vector<std::int64_t> ids;
  for (const auto& input : inputs) {
    const auto found = of_input_.extract(input);
    if (!found.empty()) ids.insert(ids.end(), found.mapped().begin(), found.mapped().end());
  }
  std::erase_if(ids, [this](std::int64_t id) {
    return std::any_of(waiting_.begin(), waiting_.end(), [id](const Letter& letter) { return letter.speech.id == id; });
  });
  return ids;
}

void Delivery::mark(const std::vector<Letter>& letters, const char* receipt) {
  if (letters.empty()) return;
  Json args = seat_.json();
  args["ids"] = Json::array();
  for (const auto& letter : letters) args["ids"].push_back(letter.speech.id);
  args["mark"] = receipt;
  // A refusal means that the epoch is over, which the listening hears too.
  receipts_.tell({"message.ack", std::move(args)});
}

}  // namespace teamster::agent
