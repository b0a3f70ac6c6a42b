// Fuzz target: what an agent writes, read as claude's stream-json by a whole session. The
// first byte says how the rest is cut into pieces. A line that begins with '@' is not the
// agent's: the host says something, interrupts or closes, time passes, the process exits.
// Whatever comes, turns begin and end in turn, each input ends once, and nothing comes last
// but the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent/claude/claude_session.h"
#include "agent/fake_program_for_test.h"
#include "require.h"

namespace {

using namespace std::chrono_literals;
using namespace teamster;
using namespace teamster::agent;

class Checker : public SessionListener {
 public:
  void on_activity(const Activity&) override { REQUIRE(!ended_); }
  void on_input(const std::string& id, InputState state) override {
    REQUIRE(!ended_);
    REQUIRE(open_.contains(id));
    if (state == InputState::done || state == InputState::failed) open_.erase(id);
  }
  void on_turn_started() override {
    REQUIRE(!ended_ && !working_);
    working_ = true;
  }
  void on_turn_ended(const TurnEnd& end) override {
    REQUIRE(!ended_ && working_);
    working_ = false;
    REQUIRE(end.is_good() == end.error.empty());
    REQUIRE(!end.usage.cost_usd || (*end.usage.cost_usd >= 0 && *end.usage.cost_usd <= 1e9));
    for (const std::int64_t tokens :
         {end.usage.input_tokens, end.usage.output_tokens, end.usage.cache_read_tokens, end.usage.cache_write_tokens})
      REQUIRE(tokens >= 0);
  }
  PermissionAnswer on_permission(const PermissionRequest&) override { return {.allow = true, .message = {}}; }
  void on_resumable(const std::string&) override { REQUIRE(!ended_); }
  void on_ended(const SessionEnd&) override {
    REQUIRE(!ended_ && !working_);
    ended_ = true;
  }

  void said(const std::string& id) { open_[id] = true; }
  bool is_over() const { return ended_ && open_.empty(); }
  bool has_ended() const { return ended_; }

 private:
  std::map<std::string, bool> open_;
  bool working_ = false;
  bool ended_ = false;
};

// Lines for people and for the agent never break the format, whatever is in them.
void check_lines(std::string_view text) {
  const std::string word(text.substr(0, 1000));
  for (const std::string& line : {claude::user_line({word, word}), claude::interrupt_line(word),
                                  claude::permission_line(word, {.allow = false, .message = word})}) {
    REQUIRE(line.find('\n') == line.size() - 1);
    REQUIRE(parse_json(line).has_value());
  }
}

class Stage {
 public:
  Stage() {
    session_ = *ClaudeSession::start(processes_.in(view_), {"/bin/agent", {"agent"}, {}, ""}, {}, 0, checker_);
  }

  void play(std::string_view line, std::size_t piece) {
    if (checker_.has_ended()) return;
    if (line.starts_with("@say")) {
      const std::string id = "input-" + std::to_string(++said_);
      checker_.said(id);
      session_->say({id, std::string(line)});
    } else if (line.starts_with("@interrupt")) {
      session_->interrupt();
    } else if (line.starts_with("@close")) {
      session_->close();
    } else if (line.starts_with("@time")) {
      world_.run_for(20min);
    } else if (line.starts_with("@exit")) {
      processes_.last().exit(static_cast<int>(line.size()));
    } else {
      write(line, piece);
    }
  }
  void end() {
    if (!checker_.has_ended()) processes_.last().exit(0);
    REQUIRE(checker_.is_over());
  }

 private:
  void write(std::string_view line, std::size_t piece) {
    for (; !line.empty(); line.remove_prefix(std::min(piece, line.size())))
      processes_.last().write(line.substr(0, piece));
    processes_.last().write("\n");
  }

  env::sim::World world_{1};
  env::World view_ = world_.start("host").view();
  FakeProcesses processes_{view_.processes};
  Checker checker_;
  std::unique_ptr<Session> session_;
  int said_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  check_lines(text);
  Stage stage;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    stage.play(text.substr(0, end), bytes[0] + std::size_t{1});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  stage.end();
  return 0;
}
