#include "people/terminal/terminal_transport.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "people/replies.h"

namespace teamster::people {
namespace {

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

}  // namespace

bool TerminalTransport::is_waiting(const std::string& id) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Posting& each) { return each.id == id; });
}

void TerminalTransport::post(const Posting& posting) {
  if (is_waiting(posting.id)) return;
  waiting_.push_back(posting);
  if (waiting_.size() == 1) return ask();
  write_(fmt::format("({} more to answer after this one)", waiting_.size() - 1));
}

void TerminalTransport::withdraw(const std::string& id, const std::string& why) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Posting& each) { return each.id == id; });
  if (found == waiting_.end()) return;
  const bool was_asked = found == waiting_.begin();
  waiting_.erase(found);
  write_(fmt::format("{}: {}", id, why));
  if (was_asked && !waiting_.empty()) ask();
}

env::Registration TerminalTransport::on_reply(std::function<void(const TransportReply&)> callback) {
  const std::size_t key = ++registered_;
  callbacks_[key] = std::move(callback);
  return env::Registration([this, key] { callbacks_.erase(key); });
}

void TerminalTransport::ask() {
  const Posting& posting = waiting_.front();
  write_("");
  write_(fmt::format("? {}:", heading_of(posting)));
  for (const auto& line : lines_in(posting.text)) write_("  " + line);
  if (!posting.attach.empty()) write_("  See " + posting.attach);
  for (const auto& line : option_lines(posting)) write_("    " + line);
  write_("  " + how_to_type(posting));
}

bool TerminalTransport::typed(std::string_view line) {
  if (waiting_.empty()) return false;
  const Posting posting = waiting_.front();
  if (trimmed(line).empty()) {
    ask();
    return true;
  }
  if (const auto reply = read_reply(posting, line); !reply) {
    write_(fmt::format("  {}. {}", reply.error().what, reply.error().next));
    return true;
  }
  waiting_.pop_front();
  const auto callbacks = callbacks_;
  for (const auto& [key, callback] : callbacks) callback({posting.id, std::string(line)});
  if (!waiting_.empty()) ask();
  return true;
}

}  // namespace teamster::people
