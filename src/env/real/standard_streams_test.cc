#include "env/real/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "env/real/descriptor.h"
#include "env/real/world.h"

namespace teamster::env::real {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  Descriptor reader, writer;
};

std::string read_all(const Descriptor& from, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = ::read(from.number(), text.data(), bytes);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

class StandardStreamsTest : public testing::Test {
 protected:
  void start(int input, int output) {
    streams_ = std::make_unique<StandardStreams>(world_.loop(), input, output);
    streams_->start({.on_bytes = [this](std::string_view bytes) { heard_ += bytes; },
                     .on_end = [this] { ++ends_; },
                     .on_drained = [this] { ++drains_; }});
  }
  bool run_until(const std::function<bool()>& done) { return world_.loop().run_until(done); }

  World world_;
  Pipe in_, out_;
  std::string heard_;
  int ends_ = 0;
  int drains_ = 0;
  std::unique_ptr<StandardStreams> streams_;
};

TEST_F(StandardStreamsTest, ReadsTheOneAndWritesTheOther) {
  start(in_.reader.number(), out_.writer.number());
  EXPECT_EQ(::write(in_.writer.number(), "hello", 5), 5);
  EXPECT_TRUE(run_until([&] { return heard_ == "hello"; }));
  streams_->write("world");
  EXPECT_EQ(read_all(out_.reader, 100), "world");
  EXPECT_EQ(ends_, 0);
  in_.writer.reset();
  EXPECT_TRUE(run_until([&] { return ends_ == 1; }));
}

TEST_F(StandardStreamsTest, StillWritesWhenTheInputHasEnded) {
  start(in_.reader.number(), out_.writer.number());
  in_.writer.reset();
  EXPECT_TRUE(run_until([&] { return ends_ == 1; }));
  const std::string long_text(1024 * 1024, 'x');
  streams_->write(long_text);
  EXPECT_GT(streams_->unsent_bytes(), 0U);
  ::fcntl(out_.reader.number(), F_SETFL, O_NONBLOCK);
  std::string got;
  EXPECT_TRUE(run_until([&] {
    got += read_all(out_.reader, 65536);
    return drains_ > 0;
  }));
  got += read_all(out_.reader, 65536);
  EXPECT_EQ(got.size(), long_text.size());
}

// Whoever waits for the last byte to be taken must not wait for ever.
TEST_F(StandardStreamsTest, AReaderThatGoesIsTheEndAndNothingIsKeptBack) {
  start(in_.reader.number(), out_.writer.number());
  streams_->write(std::string(1024 * 1024, 'x'));
  out_.reader.reset();
  EXPECT_TRUE(run_until([&] { return ends_ == 1 && drains_ > 0; }));
  EXPECT_EQ(streams_->unsent_bytes(), 0U);
  in_.writer.reset();
}

TEST_F(StandardStreamsTest, FilesAndNothingWorkToo) {
  const Descriptor file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  start(file.number(), nothing.number());
  EXPECT_TRUE(run_until([&] { return ends_ == 1; }));
  EXPECT_NE(heard_.find("Pid:"), std::string::npos);
  streams_->write("text");
  EXPECT_EQ(streams_->unsent_bytes(), 0U);
}

TEST_F(StandardStreamsTest, APausedFileIsNotRead) {
  const Descriptor file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  start(file.number(), out_.writer.number());
  streams_->pause_reading(true);
  bool turned = false;
  world_.loop().post([&] { turned = true; });
  EXPECT_TRUE(run_until([&] { return turned; }));
  EXPECT_EQ(heard_, "");
  streams_->pause_reading(false);
  EXPECT_TRUE(run_until([&] { return ends_ == 1; }));
  EXPECT_NE(heard_, "");
}

TEST_F(StandardStreamsTest, FinishingShowsTheReaderTheEnd) {
  start(in_.reader.number(), out_.writer.number());
  streams_->write("last");
  streams_->finish_writing();
  EXPECT_EQ(read_all(out_.reader, 100), "last");
  EXPECT_EQ(read_all(out_.reader, 100), "");
}

TEST_F(StandardStreamsTest, LeavesTheDescriptorsAsTheyWere) {
  start(in_.reader.number(), out_.writer.number());
  EXPECT_NE(::fcntl(in_.reader.number(), F_GETFL) & O_NONBLOCK, 0);
  streams_.reset();
  EXPECT_EQ(::fcntl(in_.reader.number(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::fcntl(out_.writer.number(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace teamster::env::real
