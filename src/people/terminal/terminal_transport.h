// TerminalTransport: people who sit at the terminal of a run: a question is shown there when it comes, and the next
// line that is typed is its answer. One is asked at a time, the others wait behind it; one that was answered elsewhere
// says so and makes room. Owned by whoever has the terminal; on the loop of its process.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "people/transport.h"

namespace teamster::people {

class TerminalTransport : public Transport {
 public:
  // `write` gets whole lines; what people and agents wrote has to be made safe to print by it.
  explicit TerminalTransport(std::function<void(const std::string& line)> write) : write_(std::move(write)) {}

  void post(const Posting& posting) override;
  void withdraw(const std::string& id, const std::string& why) override;
  env::Registration on_reply(std::function<void(const TransportReply&)> callback) override;

  // A line that was typed. False when no question waits for one.
  bool typed(std::string_view line);
  bool is_asking() const { return !waiting_.empty(); }
  // Whether it is the one that is asked now.
  bool is_asked(const std::string& id) const { return !waiting_.empty() && waiting_.front().id == id; }
  // Whether it is that, or comes after it.
  bool is_waiting(const std::string& id) const;

 private:
  void ask();

  std::function<void(const std::string& line)> write_;
  std::deque<Posting> waiting_;  // the first is the one that is asked
  std::map<std::size_t, std::function<void(const TransportReply&)>> callbacks_;
  std::size_t registered_ = 0;
};

}  // namespace teamster::people
