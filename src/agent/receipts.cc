#include "agent/receipts.h"

#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::agent {
namespace {

// A rule has said no, and will say it again. Everything else is trouble of the hub, the store or the way there.
bool is_final(const Error& error) {
  return error.code == Code::refused || error.code == Code::invalid || error.code == Code::not_found;
}

}  // namespace

void Receipts::tell(hub::AcknowledgeMessages call) {
  auto messages = call.ids;
  add({.request = hub::request_for(std::move(call)), .messages = std::move(messages)});
}

void Receipts::add(Untold receipt) {
  receipt.request.key = hub_.make_key();
  const std::int64_t number = ++last_;
  untold_.emplace(number, std::move(receipt));
  if (!is_pausing_) send(number);
}

std::set<MessageId> Receipts::untold_messages() const {
  std::set<MessageId> ids;
  for (const auto& [number, receipt] : untold_) ids.insert(receipt.messages.begin(), receipt.messages.end());
  return ids;
}

void Receipts::when_all_is_told(std::function<void()> then) {
  if (untold_.empty()) return then();
  all_is_told_ = std::move(then);
}

void Receipts::send(std::int64_t number) {
  Untold& receipt = untold_.at(number);
  receipt.is_under_way = true;
  // The client sends in the order of the calls, and the hub takes what one connection sends in that order.
  receipt.call =
      hub_.call_owned(receipt.request, [this, number](const Result<Json>& answer) { answered(number, answer); });
}

void Receipts::send_all() {
  is_pausing_ = false;
  for (const auto& [number, receipt] : untold_)
    if (!receipt.is_under_way) send(number);
}

void Receipts::answered(std::int64_t number, const Result<Json>& answer) {
  if (!answer && !is_final(answer.error())) {
    untold_.at(number).is_under_way = false;
    trouble_ = answer.error().text();
    is_pausing_ = true;
    again_ = world_.loop.after(limits::kTellAgainAfter, [this] { send_all(); });
    return;
  }
  const auto node = untold_.extract(number);
  if (node.mapped().told) node.mapped().told(answer ? Result<void>() : fail(answer.error()));
  if (!untold_.empty() || !all_is_told_) return;
  std::exchange(all_is_told_, nullptr)();
}

}  // namespace teamster::agent
