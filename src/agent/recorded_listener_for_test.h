// RecordedListener: a SessionListener that writes down what it is told, each thing as one
// line, so that tests compare the order of everything. Owned by the test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/session.h"

namespace teamster::agent {

class RecordedListener : public SessionListener {
 public:
  void on_activity(const Activity& activity) override {
    add(std::string(to_string(activity.kind)) + " " + (activity.tool.empty() ? activity.text : activity.tool));
  }
  void on_input(const std::string& id, InputState state) override {
    static constexpr const char* kNames[] = {"accepted", "taken", "done", "failed"};
    add(id + " " + kNames[static_cast<std::size_t>(state)]);
  }
  void on_turn_started() override { add("turn started"); }
  void on_turn_ended(const TurnEnd& end) override {
    add("turn ended " + std::string(to_string(end.fault)));
    ends.push_back(end);
  }
  PermissionAnswer on_permission(const PermissionRequest& request) override {
    add("permission " + request.tool);
    return permission;
  }
  void on_resumable(const std::string& resume_token) override { add("resumable " + resume_token); }
  void on_ended(const SessionEnd& end) override {
    add(end.expected ? "ended as expected" : "ended");
    ended = end;
  }

  // What was told since the last look.
  std::vector<std::string> heard() { return std::exchange(lines_, {}); }

  std::vector<TurnEnd> ends;
  std::optional<SessionEnd> ended;
  PermissionAnswer permission;

 private:
  void add(std::string line) { lines_.push_back(std::move(line)); }
  std::vector<std::string> lines_;
};

}  // namespace teamster::agent
