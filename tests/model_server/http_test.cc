#include "model_server/http.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace teamster::model {
namespace {

constexpr std::string_view kPost = "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";

// The status of the problem that these bytes are, or 0.
int problem_of(const std::string& bytes) {
  HttpReader reader;
  reader.feed(bytes);
  EXPECT_FALSE(reader.next());
  return reader.problem() ? reader.problem()->status : 0;
}

TEST(HttpReader, ReadsARequest) {
  HttpReader reader;
  reader.feed(kPost);
  const auto request = reader.next();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->path, "/v1/messages");
  EXPECT_EQ(request->query, "beta=true");
  EXPECT_EQ(request->header("host"), "x");
  EXPECT_EQ(request->header("absent"), "");
  EXPECT_EQ(request->body, "body");
  EXPECT_TRUE(request->keeps_alive());
  EXPECT_FALSE(reader.is_midway());
}

TEST(HttpReader, ReadsRequestsWhereverTheyAreCut) {
  const std::string two = std::string(kPost) + "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
                          "3;note=x\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n";
  HttpReader reader;
  std::vector<std::string> bodies;
  for (const char byte : two) {
    reader.feed(std::string_view(&byte, 1));
    while (const auto request = reader.next()) bodies.push_back(request->body);
  }
  EXPECT_EQ(bodies, (std::vector<std::string>{"body", "abcde"}));
  EXPECT_FALSE(reader.problem());
}

TEST(HttpReader, ReadsRequestsThatCameTogether) {
  HttpReader reader;
  reader.feed(std::string(kPost) + std::string(kPost) + "GET / HTTP/1.1\r\nConnection: Close\r\n\r\n");
  EXPECT_TRUE(reader.next());
  EXPECT_TRUE(reader.next());
  const auto last = reader.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->method, "GET");
  EXPECT_FALSE(last->keeps_alive());
  EXPECT_FALSE(reader.next());
}

TEST(HttpReader, SaysOnceThatTheClientWaits) {
  HttpReader reader;
  reader.feed("POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.take_continue());
  EXPECT_FALSE(reader.take_continue());
  reader.feed("ok");
  EXPECT_TRUE(reader.next());
}

TEST(HttpReader, RefusesWhatIsMalformed) {
  const std::vector<std::pair<std::string, int>> cases = {
      {"\r\n\r\n", 400},
      {"\x16", 400},
      {"hello\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET  HTTP/1.1\r\n\r\n", 400},
      {"GET http://x/ HTTP/1.1\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\n\r\n", 400},
      {"G(T / HTTP/1.1\r\n\r\n", 400},
      {"GET / FTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.0\r\n\r\n", 505},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n: no name\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nbad name: x\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nA: x\r\n folded\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400},
  };
  for (const auto& [bytes, status] : cases) EXPECT_EQ(problem_of(bytes), status) << bytes;
}

TEST(HttpReader, AProblemIsFinal) {
  HttpReader reader;
  reader.feed("nonsense\r\n\r\n");
  EXPECT_FALSE(reader.next());
  reader.feed(kPost);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.problem());
}

TEST(HttpReader, RefusesWhatIsTooLarge) {
  EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nA: " + std::string(kHeadMaxBytes, 'a')), 431);
  EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nA: " + std::string(kHeadMaxBytes, 'a') + "\r\n\r\n"), 431);
  EXPECT_EQ(problem_of("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(kBodyMaxBytes + 1) + "\r\n\r\n"), 413);
  EXPECT_EQ(problem_of("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(kBodyMaxBytes) + "\r\n\r\n"), 0);
  EXPECT_EQ(problem_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n"), 413);
  EXPECT_EQ(problem_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(kHeadMaxBytes + 1, '1')),
            400);
}

TEST(HttpReader, ManyChunksDoNotGetPastTheLimit) {
  HttpReader reader;
  reader.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "100000\r\n" + std::string(0x100000, 'a') + "\r\n";
  for (int i = 0; i < 32; ++i) {
    reader.feed(chunk);
    EXPECT_FALSE(reader.next());
    ASSERT_FALSE(reader.problem()) << i;
  }
  reader.feed("1\r\na\r\n");
  EXPECT_FALSE(reader.next());
  ASSERT_TRUE(reader.problem());
  EXPECT_EQ(reader.problem()->status, 413);
}

}  // namespace
}  // namespace teamster::model
