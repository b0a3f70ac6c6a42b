// ClaudeSessionTest: a ClaudeSession whose program is played by the test, line by line, and
// what the session tells its listener.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/claude/claude_session.h"
#include "agent/fake_program_for_test.h"
#include "agent/recorded_listener_for_test.h"
#include "base/json.h"

namespace teamster::agent {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ClaudeSessionTest : public testing::Test {
 protected:
  void start(double cost_so_far_usd = 0) {
    auto started = ClaudeSession::start(processes_.in(host_.view()), {"/bin/claude", {"claude"}, {}, ""}, limits_,
                                        cost_so_far_usd, listener_);
    ASSERT_TRUE(started);
    session_ = *std::move(started);
  }
  // Up and idle, and what it said so far is forgotten.
  void start_and_greet(double cost_so_far_usd = 0) {
    start(cost_so_far_usd);
    reply_to_control("teamster-1");
    program().heard();
    listener_.heard();
  }
  FakeProgram& program() { return processes_.last(); }
  void write(const Json& line) { program().write(dump_json(line) + "\n"); }
  void reply_to_control(const std::string& id) {
    write({{"type", "control_response"}, {"response", {{"subtype", "success"}, {"request_id", id}}}});
  }
  void lifecycle(const std::string& id, const char* state) {
    write({{"type", "command_lifecycle"}, {"command_uuid", id}, {"state", state}});
  }
  void init(const std::string& session_id = "s") {
    write({{"type", "system"}, {"subtype", "init"}, {"session_id", session_id}});
  }
  void speak(const std::string& text) {
    write({{"type", "assistant"}, {"message", {{"content", Json::array({{{"type", "text"}, {"text", text}}})}}}});
  }
  void result(const Json& more = Json::object()) {
    Json line = {{"type", "result"}, {"subtype", "success"}, {"is_error", false}, {"result", "ok"}};
    line.update(more);
    write(line);
  }
  // As the real one does it for a prompt when it is idle.
  void whole_turn(const std::string& id, const Json& more = Json::object()) {
    lifecycle(id, "queued");
    lifecycle(id, "started");
    init();
    speak("answer");
    result(more);
    lifecycle(id, "completed");
  }
  // What was written to it since the last look, line by line.
  std::vector<Json> heard() {
    std::vector<Json> lines;
    const std::string text = program().heard();
    std::size_t at = 0;
    for (std::size_t end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
      lines.push_back(*parse_json(std::string_view(text).substr(at, end - at)));
    EXPECT_EQ(at, text.size()) << "a line without its end";
    return lines;
  }
  void pass(Duration span) { world_.run_for(span); }

  env::sim::World world_{5};
  env::sim::Host& host_ = world_.start("host");
  env::World view_ = host_.view();
  FakeProcesses processes_{view_.processes};
  SessionLimits limits_;
  RecordedListener listener_;
  std::unique_ptr<Session> session_;
};

}  // namespace teamster::agent
