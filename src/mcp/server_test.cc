#include "mcp/server.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "env/sim/sim_world.h"
#include "mcp/protocol_for_test.h"

namespace teamster::mcp {
namespace {

using namespace std::chrono_literals;

// A pipe to the server that the test holds the other end of.
struct Pipe {
  env::Stream::Handlers handlers;
  std::string written;
  std::size_t unsent = 0;
  bool is_paused = false;
  bool is_gone = false;
};

class PipeStream : public env::Stream {
 public:
  explicit PipeStream(Pipe& pipe) : pipe_(pipe) {}
  ~PipeStream() override { pipe_.is_gone = true; }
  void start(Handlers handlers) override { pipe_.handlers = std::move(handlers); }
  void write(std::string_view bytes) override {
    pipe_.written += bytes;
    ++writes;
  }
  std::size_t unsent_bytes() const override { return pipe_.unsent; }
  void pause_reading(bool paused) override { pipe_.is_paused = paused; }
  void finish_writing() override {}
  int writes = 0;

 private:
  Pipe& pipe_;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    auto stream = std::make_unique<PipeStream>(pipe_);
    stream_ = stream.get();
    server_ = std::make_unique<Server>(world_.start("mcp").view(), std::move(stream), tools_, [this] { ++finished_; });
    server_->start();
  }
  void say(const Json& message) { pipe_.handlers.on_bytes(dump_json(message) + "\n"); }
  Json call(int id) { return Talk::modern(id, "tools/call", {{"name", "echo"}}); }
  std::size_t lines() { return static_cast<std::size_t>(std::count(pipe_.written.begin(), pipe_.written.end(), '\n')); }

  env::sim::World world_{3};
  HeldTools tools_;
  Pipe pipe_;
  PipeStream* stream_ = nullptr;
  int finished_ = 0;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, WritesTheAnswersOfOneTurnTogether) {
  for (int i = 0; i < 10; ++i) say(Talk::request(i, "ping"));
  EXPECT_EQ(stream_->writes, 0);
  world_.run_for(1ms);
  EXPECT_EQ(stream_->writes, 1);
  EXPECT_EQ(lines(), 10U);
}

TEST_F(ServerTest, LeavesInputInThePipeWhileTooManyCallsAreOpen) {
  for (std::size_t i = 0; i <= limits::kMcpCallsInFlightMax; ++i) {
    EXPECT_FALSE(pipe_.is_paused);
    say(call(static_cast<int>(i)));
  }
  EXPECT_TRUE(pipe_.is_paused);
  for (std::size_t i = 0; i <= limits::kMcpCallsInFlightMax / 2; ++i) {
    world_.run_for(1ms);
    EXPECT_TRUE(pipe_.is_paused);
    tools_.finish(Json::object());
  }
  world_.run_for(1ms);
  EXPECT_FALSE(pipe_.is_paused);
}

TEST_F(ServerTest, LeavesInputInThePipeWhileAnswersAreNotRead) {
  pipe_.unsent = limits::kMcpUnsentBytesMax + 1;
  say(Talk::request(1, "ping"));
  EXPECT_TRUE(pipe_.is_paused);
  pipe_.unsent = 0;
  pipe_.handlers.on_drained();
  EXPECT_FALSE(pipe_.is_paused);
}

TEST_F(ServerTest, AnswersWhatIsOpenBeforeItEnds) {
  say(call(1));
  say(call(2));
  pipe_.handlers.on_end();
  world_.run_for(1s);
  EXPECT_EQ(finished_, 0);
  tools_.finish(Json::object());
  tools_.finish(Json::object());
  world_.run_for(1ms);
  EXPECT_EQ(finished_, 1);
  EXPECT_EQ(lines(), 2U);
  EXPECT_EQ(pipe_.written.find("error"), std::string::npos) << pipe_.written;
}

TEST_F(ServerTest, WaitsForOpenCallsOnlySoLong) {
  say(call(1));
  pipe_.handlers.on_end();
  world_.run_for(limits::kMcpDrainTime - 1ms);
  EXPECT_EQ(finished_, 0);
  world_.run_for(2ms);
  EXPECT_EQ(finished_, 1);
  EXPECT_NE(pipe_.written.find("-32603"), std::string::npos) << pipe_.written;
  tools_.finish(Json::object());
  world_.run_for(1s);
  EXPECT_EQ(finished_, 1);
  EXPECT_EQ(lines(), 1U);
}

TEST_F(ServerTest, WaitsUntilItsAnswersAreTaken) {
  say(Talk::request(1, "ping"));
  pipe_.unsent = 100;
  pipe_.handlers.on_end();
  world_.run_for(1s);
  EXPECT_EQ(finished_, 0);
  pipe_.unsent = 0;
  pipe_.handlers.on_drained();
  EXPECT_EQ(finished_, 1);
}

TEST_F(ServerTest, EndsAtOnceWithNothingToDo) {
  pipe_.handlers.on_end();
  EXPECT_EQ(finished_, 1);
}

TEST_F(ServerTest, TellsOfProgressWhileACallWaits) {
  Json waiting = call(1);
  waiting["params"]["_meta"]["progressToken"] = 9;
  say(waiting);
  world_.run_for(3 * limits::kMcpProgressInterval + 1ms);
  EXPECT_EQ(lines(), 2U) << pipe_.written;
  tools_.finish(Json::object());
  world_.run_for(10s);
  EXPECT_EQ(lines(), 3U) << "silent after the answer: " << pipe_.written;
}

TEST_F(ServerTest, MayGoAwayWithCallsOpen) {
  say(call(1));
  say(Talk::request(2, "ping"));
  server_.reset();
  EXPECT_TRUE(pipe_.is_gone);
  world_.run_for(1s);
  EXPECT_FALSE(tools_.finish(Json::object()));
}

}  // namespace
}  // namespace teamster::mcp
