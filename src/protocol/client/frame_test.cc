#include "protocol/client/frame.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster::hub {
namespace {

std::string frame(std::string_view payload) {
  std::string out;
  append_frame(out, payload);
  return out;
}

TEST(Frame, HasLengthThenPayload) {
  EXPECT_EQ(frame("ab"), std::string("\x02\x00\x00\x00"
                                     "ab",
                                     6));
}

TEST(Frame, DecodesWhateverTheChunks) {
  const std::string bytes = frame("first") + frame("x") + frame(std::string(100'000, 'y'));
  for (const std::size_t chunk : {1U, 2U, 3U, 7U, 4096U, 1'000'000U}) {
    FrameDecoder decoder;
    std::vector<std::string> payloads;
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
      decoder.add(std::string_view(bytes).substr(at, chunk));
      while (true) {
        auto next = decoder.next();
        ASSERT_TRUE(next);
        if (!*next) break;
        payloads.push_back(**next);
      }
    }
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_EQ(payloads[0], "first");
    EXPECT_EQ(payloads[2].size(), 100'000U);
    EXPECT_FALSE(decoder.has_partial());
  }
}

TEST(Frame, KnowsWhenSomethingIsMissing) {
  FrameDecoder decoder;
  EXPECT_FALSE(decoder.has_partial());
  decoder.add(std::string_view("\x05", 1));
  EXPECT_FALSE(decoder.next()->has_value());
  EXPECT_TRUE(decoder.has_partial());
}

TEST(Frame, RefusesEmptyAndHugeAtOnce) {
  for (const std::string& header :
       {std::string(4, '\0'), std::string("\xff\xff\xff\xff"), std::string("\x01\x00\x80\x00", 4)}) {
    FrameDecoder decoder;
    decoder.add(header);
    EXPECT_FALSE(decoder.next());
  }
}

TEST(Frame, TakesTheLargest) {
  FrameDecoder decoder;
  decoder.add(frame(std::string(limits::kFrameMaxBytes, 'x')));
  EXPECT_EQ((*decoder.next())->size(), limits::kFrameMaxBytes);
}

}  // namespace
}  // namespace teamster::hub
