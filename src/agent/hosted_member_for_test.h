// HostedMemberTest: a team in the simulated world, one member of it hosted, and behind it an
// agent that the test plays by hand: it sees what was said to it, and speaks, ends turns and
// dies when the test says so.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/hosted_member.h"
#include "support/simulated_hubs.h"

namespace teamster::agent {

using namespace std::chrono_literals;

// The agent of one process.
class FakeSession : public Session {
 public:
  FakeSession(SessionListener& listener, StartOptions start) : options(std::move(start)), listener_(listener) {}

  void say(SessionInput input) override {
    inputs.push_back(std::move(input));
    if (!std::exchange(working, true)) listener_.on_turn_started();
  }
  void interrupt() override { ++interrupts; }
  void close() override { closed = true; }
  bool is_working() const override { return working; }
  std::int64_t pid() const override { return 4711; }

  // What the agent does. The last input is meant where none is named.
  std::string last() const { return inputs.empty() ? "" : inputs.back().id; }
  void move(const std::string& input, InputState state) { listener_.on_input(input, state); }
  void accept() { move(last(), InputState::accepted); }
  void take() {
    accept();
    move(last(), InputState::taken);
  }
  void speak(const std::string& text) { listener_.on_activity({.kind = Activity::Kind::text, .text = text}); }
  void think() { listener_.on_activity({.kind = Activity::Kind::thinking, .text = "hm"}); }
  void show(Activity::Kind kind) { listener_.on_activity({.kind = kind, .text = "not the model"}); }
  void call_tool(const std::string& tool, const Json& input) {
    listener_.on_activity({.kind = Activity::Kind::tool_call, .tool = tool, .id = "call", .input = input});
    listener_.on_activity({.kind = Activity::Kind::tool_result, .text = "fine", .id = "call"});
  }
  void resumable(const std::string& token) { listener_.on_resumable(token); }
  PermissionAnswer ask(const PermissionRequest& request) { return listener_.on_permission(request); }
  // Ends the turn, and with it all inputs that are named.
  void end(TurnEnd end) {
    working = false;
    const InputState state = end.is_good() ? InputState::done : InputState::failed;
    for (const auto& input : end.inputs) listener_.on_input(input, state);
    listener_.on_turn_ended(end);
  }
  // The whole of a good turn for the last input.
  void answer(const std::string& text, Usage usage = {}) {
    take();
    speak(text);
    end({.text = text, .usage = usage, .inputs = {last()}});
  }
  void fail_turn(Fault fault, const std::string& error) { end({.fault = fault, .error = error, .inputs = {last()}}); }
  void begin_by_itself() {
    working = true;
    listener_.on_turn_started();
  }
  void die(const std::string& what, bool conversation_is_lost = false) {
    if (working) end({.fault = Fault::crashed, .error = what, .inputs = {last()}, .session_over = true});
    listener_.on_ended({.expected = closed, .conversation_is_lost = conversation_is_lost, .what = what});
  }

  // It ended by itself before it had said a word.
  void break_down(const std::string& what) {
    if (working) end({.fault = Fault::crashed, .error = what, .inputs = {last()}, .session_over = true});
    listener_.on_ended({.program_is_broken = true, .what = what});
  }

  const StartOptions options;
  std::vector<SessionInput> inputs;
  bool working = false;
  bool closed = false;
  int interrupts = 0;

 private:
  SessionListener& listener_;
};

class FakeDriver : public Driver {
 public:
  std::string_view name() const override { return "fake"; }
  std::string_view summary() const override { return "played by a test"; }
  Abilities abilities() const override { return can; }
  std::string find_program(const env::World&) const override { return "/bin/fake"; }
  Result<void> check(const env::World&, const StartOptions&) const override { return {}; }
  Result<std::unique_ptr<Session>> start(const env::World&, const StartOptions& options,
                                         SessionListener& listener) const override {
    ++starts;
    if (!refusal.empty()) return fail(Code::failed, refusal);
    auto session = std::make_unique<FakeSession>(listener, options);
    current = session.get();
    return std::unique_ptr<Session>(std::move(session));
  }

  Abilities can{.injects = true, .interrupts = true, .resumes = true, .has_tools = true, .asks = true, .costs = true};
  std::string refusal;
  mutable int starts = 0;
  mutable FakeSession* current = nullptr;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class HostedMemberTest : public testing::Test {
 protected:
  HostedMemberTest() { call("team.create", {{"team", "alpha"}, {"members", {"builder", "tester"}}}); }
  ~HostedMemberTest() override { member_.reset(); }

  Json call(const std::string& op, Json args) {
    auto answer = operator_.call_and_wait({op, std::move(args), std::nullopt, {}});
    EXPECT_TRUE(answer) << op << ": " << answer.error().text();
    return answer ? *std::move(answer) : Json();
  }
  std::int64_t send(const std::string& text, const Json& more = Json::object()) {
    Json args = {{"team", "alpha"}, {"from", "tester"}, {"to", "builder"}, {"body", text}};
    args.update(more);
    return call("message.send", std::move(args)).value("id", std::int64_t{0});
  }
  std::string receipt(std::int64_t id) {
    return call("message.receipt", {{"team", "alpha"}, {"id", id}})["message"].value("receipt", "");
  }
  // Receipts travel to the hub; this waits until it has them.
  void expect_receipt(std::int64_t id, const std::string& wanted) {
    EXPECT_TRUE(within(5s, [&] { return receipt(id) == wanted; })) << receipt(id) << " instead of " << wanted;
  }
  Json status_of(const std::string& name) {
    const Json members = call("team.status", {{"team", "alpha"}})["members"];
    for (const auto& member : members)
      if (member.value("name", "") == name) return member;
    return {};
  }
  // Ends of turns, as the journal has them.
  std::vector<Json> ended_turns() {
    std::vector<Json> turns;
    const Json events = call("journal.read", {{"team", "alpha"}, {"after", 0}})["events"];
    for (const auto& event : events)
      if (event["kind"] == "member.turn" && !event["body"].value("running", true)) turns.push_back(event["body"]);
    return turns;
  }

  // Starts to host `builder`, and waits until it is up or gone.
  void start(MemberOptions options = {}) {
    outcome_.reset();
    options.team = "alpha";
    options.member = "builder";
    options.driver = &driver_;
    options.start.directory = "/src";
    MemberObserver observer;
    observer.on_note = [this](const std::string& note) { notes_.push_back(note); };
    observer.on_turn = [this](const TurnResult& result) { turns_.push_back(result.end); };
    observer.on_ready = [this] { is_ready_ = true; };
    observer.on_conversation_lost = [this](const std::string& why) { lost_.push_back(why); };
    observer.on_gone = [this](const Result<void>& outcome) { outcome_ = outcome; };
    member_ = std::make_unique<HostedMember>(view_, client_, hubs_.home(), std::move(options), std::move(observer));
    member_->start();
  }
  void start_and_wait(MemberOptions options = {}) {
    start(std::move(options));
    ASSERT_TRUE(within(5s, [this] { return is_ready_; }));
    agent();
  }
  std::optional<Record> record() {
    return Record::load(view_.files, hubs_.home().member_directory("alpha", "builder"));
  }
  bool wait_starts(int count) {
    return within(30s, [&] { return driver_.starts >= count; });
  }
  bool wait_gone() {
    return within(30s, [&] { return outcome_.has_value(); });
  }
  FakeSession& agent() { return *driver_.current; }
  std::size_t said() { return agent().inputs.size(); }
  bool wait_said(std::size_t count) {
    return within(30s, [&] { return agent().inputs.size() >= count; });
  }
  std::string text(std::size_t input) { return agent().inputs.at(input).text; }
  bool within(Duration span, const std::function<bool()>& condition) {
    for (Duration passed{}; passed <= span; passed += 10ms) {
      if (condition()) return true;
      world_.run_for(10ms);
    }
    return condition();
  }

  env::sim::World world_{17};
  hub::SimulatedHubs hubs_{world_};
  hub::Client operator_{world_.start("operator").view(), hubs_.home(), hub::Access::operator_of_home()};
  env::World view_ = world_.start("host").view();
  hub::Client client_{view_, hubs_.home(), hub::Access::operator_of_home()};
  FakeDriver driver_;
  std::vector<std::string> notes_;
  std::vector<TurnEnd> turns_;
  std::vector<std::string> lost_;  // why, of conversations
  bool is_ready_ = false;
  std::optional<Result<void>> outcome_;
  std::unique_ptr<HostedMember> member_;
};

}  // namespace teamster::agent
