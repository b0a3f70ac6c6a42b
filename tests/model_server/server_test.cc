// The program itself, over real sockets.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model_server/http.h"
#include "model_server/raw_client_for_test.h"
#include "model_server/running_server_for_test.h"

namespace teamster::model {
namespace {

using namespace std::chrono_literals;
using e2e::Milliseconds;

// Long enough to see that nothing comes; a server that did answer would do so much sooner.
constexpr Milliseconds kQuiet = 100ms;

Json say(const std::string& text) { return {{"text", text}}; }
// A list of one Json in braces would be that Json and no list, were this a Json itself.
using Turns = std::vector<Json>;

// Everything belongs to one conversation that has these replies.
Json script_with(const Turns& turns) {
  return {{"conversations", Json::array({{{"match", {{"model", "m"}}}, {"turns", turns}}})}};
}

// What the server answers to one request.
Response answer_of(const RunningServer& server, const Json& body, const std::string& key = "key") {
  RawClient client(server.port());
  EXPECT_TRUE(client.post(body, key));
  auto response = client.receive();
  EXPECT_TRUE(response);
  return response.value_or(Response());
}

TEST(ModelServer, AnswersAsAStreamAndAsADocument) {
  const RunningServer server(script_with({say("streamed"), say("plain")}));
  const Response stream = answer_of(server, request_body("x", true));
  EXPECT_EQ(stream.status, 200);
  EXPECT_EQ(stream.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(stream.streamed_text(), "streamed");
  const Response plain = answer_of(server, request_body("x", false));
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.headers.at("content-type"), "application/json");
  EXPECT_EQ(plain.json()["content"][0]["text"], "plain");
}

TEST(ModelServer, KeepsAConnectionForManyRequests) {
  const RunningServer server(script_with({{{"text", "yes"}, {"repeat", "forever"}}}));
  RawClient client(server.port());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.post(request_body("x", i % 2 == 0)));
    const auto response = client.receive();
    ASSERT_TRUE(response) << i;
    EXPECT_EQ(response->status, 200);
  }
  EXPECT_EQ(server.requests().size(), 20U);
}

TEST(ModelServer, ClosesWhenTheClientWantsIt) {
  const RunningServer server(Json::object());
  RawClient client(server.port());
  client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.receive());
  EXPECT_TRUE(client.ends_within());
}

TEST(ModelServer, ReadsAChunkedBodyAndOneThatWaits) {
  const RunningServer server(script_with({say("one"), say("two")}));
  const std::string body = request_body("x", false).dump();
  RawClient client(server.port());
  client.send("POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + body.substr(0, 5) + "\r\n");
  client.send("FF;x\r\n");  // the size is wrong for what follows, unless it is filled up
  client.send(body.substr(5) + std::string(255 - (body.size() - 5), ' ') + "\r\n0\r\n\r\n");
  const auto chunked = client.receive();
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->json()["content"][0]["text"], "one");
  client.send("POST /v1/messages HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n");
  const auto go_on = client.receive();
  ASSERT_TRUE(go_on);
  EXPECT_EQ(go_on->status, 100);
  client.send(body);
  const auto waited = client.receive();
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->json()["content"][0]["text"], "two");
}

TEST(ModelServer, GivesTheErrorsOfTheApi) {
  const std::vector<std::pair<int, std::string>> errors = {{400, "invalid_request_error"},
                                                           {401, "authentication_error"},
                                                           {429, "rate_limit_error"},
                                                           {500, "api_error"},
                                                           {529, "overloaded_error"}};
  Turns turns;
  for (const auto& [status, type] : errors)
    turns.push_back({{"error", {{"status", status}, {"message", "so " + type}, {"retry_after", 3}}}});
  turns.push_back({{"error", {{"status", 500}}}});
  const RunningServer server(script_with(turns));
  for (const auto& [status, type] : errors) {
    const Response response = answer_of(server, request_body("x", true));
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.headers.at("retry-after"), "3");
    EXPECT_EQ(response.json()["type"], "error");
    EXPECT_EQ(response.json()["error"], Json({{"type", type}, {"message", "so " + type}}));
  }
  EXPECT_FALSE(answer_of(server, request_body("x", true)).headers.contains("retry-after"));
  for (const auto& request : server.requests()) EXPECT_EQ(request["answer"], "error");
}

TEST(ModelServer, StallsBeforeTheAnswer) {
  const RunningServer server(script_with({{{"stall", "before"}}, say("awake")}));
  RawClient client(server.port());
  ASSERT_TRUE(client.post(request_body("x", true)));
  ASSERT_TRUE(server.has_requests(1));
  EXPECT_FALSE(client.receives("HTTP", kQuiet));
  EXPECT_EQ(server.requests().at(0)["answer"], "stall");
  client.close();
  EXPECT_TRUE(server.has_event("cut", 1));
  EXPECT_EQ(answer_of(server, request_body("x", true)).streamed_text(), "awake");
}

TEST(ModelServer, StallsInTheMiddleOfTheAnswer) {
  const Json half = {{"text", "a text of more than one piece, so that it has a middle"}, {"stall", "middle"}};
  const RunningServer server(script_with({half, half}));
  for (const bool streams : {true, false}) {
    RawClient client(server.port());
    ASSERT_TRUE(client.post(request_body("x", streams)));
    EXPECT_TRUE(client.receives(streams ? "content_block_delta" : "\"content\""));
    EXPECT_FALSE(client.receives(streams ? "message_stop" : "\"usage\"", kQuiet));
    client.close();
    EXPECT_TRUE(server.has_event("cut", streams ? 1 : 2));
  }
}

TEST(ModelServer, SpeaksSlowly) {
  const RunningServer server(script_with({{{"text", std::string(16UL * 5, 'a')}, {"slow", {{"chunk_ms", 20}}}}}));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(answer_of(server, request_body("x", true)).streamed_text(), std::string(16UL * 5, 'a'));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 100ms);
}

TEST(ModelServer, AClientMayLeaveWhileItSpeaks) {
  const RunningServer server(script_with({{{"text", std::string(4000, 'a')}, {"slow", {{"chunk_ms", 50}}}}}));
  RawClient client(server.port());
  ASSERT_TRUE(client.post(request_body("x", true)));
  EXPECT_TRUE(client.receives("content_block_delta"));
  client.close();
  EXPECT_TRUE(server.has_event("cut", 1));
}

TEST(ModelServer, HoldsAReplyUntilItIsReleased) {
  const RunningServer server(script_with({{{"text", "now"}, {"hold", "go"}}}));
  RawClient client(server.port());
  ASSERT_TRUE(client.post(request_body("x", true)));
  ASSERT_TRUE(server.has_requests(1));
  EXPECT_FALSE(client.receives("HTTP", kQuiet));
  server.release("go");
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->streamed_text(), "now");
  EXPECT_TRUE(server.has_event("answered", 1));
}

TEST(ModelServer, KnowsMembersByTheirKeys) {
  const auto member = [](const std::string& key) {
    return Json{{"name", key}, {"match", {{"api_key", key}}}, {"turns", Turns{say("I am " + key)}}};
  };
  const RunningServer server(
      {{"conversations", Turns{member("anna"), member("bob")}}, {"default", Turns{say("who?")}}});
  EXPECT_EQ(answer_of(server, request_body("x", true), "bob").streamed_text(), "I am bob");
  EXPECT_EQ(answer_of(server, request_body("x", true), "anna").streamed_text(), "I am anna");
  EXPECT_EQ(answer_of(server, request_body("x", true), "carl").streamed_text(), "who?");
  ASSERT_EQ(server.requests_of("anna").size(), 1U);
  EXPECT_EQ(server.requests_of("anna")[0]["conversation"], "anna");
  EXPECT_TRUE(server.surprises().empty());
}

TEST(ModelServer, LogsWhatTheModelWasShown) {
  const RunningServer server(script_with({{{"text", "yes"}, {"expect", {{"contains", "please"}}}}}));
  Json body = request_body("do it", false);
  EXPECT_NE(answer_of(server, body).body.find("UNEXPECTED"), std::string::npos);
  body["messages"].push_back({{"role", "assistant"}, {"content", "no"}});
  body["messages"].push_back({{"role", "user"}, {"content", "please"}});
  body["tools"] = Json::array({{{"name", "t"}}});
  EXPECT_EQ(answer_of(server, body).json()["content"][0]["text"], "yes");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0]["answer"], "unexpected");
  EXPECT_EQ(requests[1]["answer"], "reply");
  EXPECT_EQ(requests[1]["path"], "/v1/messages");
  EXPECT_EQ(requests[1]["model"], "m");
  EXPECT_EQ(requests[1]["messages"], 3);
  EXPECT_EQ(requests[1]["text"], "do it\nno\nplease\n");
  EXPECT_EQ(requests[1]["last"], "please\n");
  EXPECT_EQ(requests[1]["tools"], Json({"t"}));
  EXPECT_EQ(requests[1]["body"], body);
  EXPECT_GE(requests[1]["time_ms"], requests[0]["time_ms"]);
  ASSERT_EQ(server.surprises().size(), 1U);
  EXPECT_NE(server.surprises()[0].find("does not contain 'please'"), std::string::npos);
}

TEST(ModelServer, AnswersWhatIsNoTurn) {
  const RunningServer server(script_with({say("turn")}));
  RawClient client(server.port());
  client.post(request_body("12345678", false), "key", "/v1/messages/count_tokens");
  const auto counted = client.receive();
  ASSERT_TRUE(counted);
  EXPECT_GT(counted->json()["input_tokens"], 1);
  client.post(Json::array(), "key", "/v1/messages/count_tokens");
  EXPECT_EQ(client.receive().value_or(Response()).status, 400);
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.receive().value_or(Response()).status, 200);
  client.post(request_body("x", false), "key", "/v1/complete");
  const auto unknown = client.receive();
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(unknown->json()["error"]["message"], "POST /v1/complete");
  client.send("GET /v1/messages HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.receive().value_or(Response()).status, 404);
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(answer_of(server, request_body("x", true)).streamed_text(), "turn");
}

TEST(ModelServer, AHeadIsAnsweredWithoutABody) {
  const RunningServer server(Json::object());
  RawClient client(server.port());
  client.send("HEAD / HTTP/1.1\r\n\r\nHEAD /api/hello HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(client.receives("HTTP/1.1 404"));
  ASSERT_TRUE(client.receives("model server\n"));  // of the GET
  EXPECT_FALSE(client.receives("not_found_error", kQuiet));
}

TEST(ModelServer, MalformedInputEndsItsConnectionAlone) {
  const RunningServer server(script_with({say("fine")}));
  const std::vector<std::pair<std::string, int>> cases = {
      {"\x16\x03\x01\x02", 400},  // a client that speaks TLS
      {"GET / HTTP/9\r\n\r\n", 505},
      {"POST /v1/messages HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nA: " + std::string(kHeadMaxBytes, 'a'), 431},
  };
  for (const auto& [bytes, status] : cases) {
    RawClient client(server.port());
    client.send(bytes);
    const auto response = client.receive();
    ASSERT_TRUE(response) << bytes.substr(0, 60);
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->json()["type"], "error");
    EXPECT_TRUE(client.ends_within());
  }
  EXPECT_EQ(answer_of(server, request_body("x", true)).streamed_text(), "fine");
}

TEST(ModelServer, ABodyThatIsNoRequestIsRefusedAndTheConnectionLives) {
  const RunningServer server(script_with({say("fine")}));
  RawClient client(server.port());
  for (const Json& body : {Json::array(), Json("text"), Json{{"model", "m"}}}) {
    ASSERT_TRUE(client.post(body));
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 400);
    EXPECT_EQ(response->json()["error"]["type"], "invalid_request_error");
  }
  ASSERT_TRUE(client.post(request_body("x", true)));
  EXPECT_EQ(client.receive().value_or(Response()).streamed_text(), "fine");
  EXPECT_EQ(server.surprises().size(), 3U);
}

TEST(ModelServer, TakesALargeBodyAndRefusesAHugeOne) {
  const RunningServer server(script_with({say("read it")}));
  const std::string text(20UL * 1024 * 1024, 'a');
  EXPECT_EQ(answer_of(server, request_body(text, true)).streamed_text(), "read it");
  RawClient client(server.port());
  client.send("POST /v1/messages HTTP/1.1\r\nContent-Length: " + std::to_string(kBodyMaxBytes + 1) + "\r\n\r\n" +
              std::string(1024UL * 1024, 'a'));
  const auto refused = client.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 413);
  EXPECT_TRUE(client.ends_within());
}

TEST(ModelServer, AClientMayLeaveInTheMiddleOfItsRequest) {
  const RunningServer server(script_with({say("fine")}));
  for (const auto* bytes : {"", "PO", "POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf"}) {
    RawClient client(server.port());
    client.send(bytes);
  }
  EXPECT_EQ(answer_of(server, request_body("x", true)).streamed_text(), "fine");
}

TEST(ModelServer, ServesManyAtOnce) {
  const RunningServer server(script_with({{{"text", "together"}, {"hold", "go"}, {"repeat", "forever"}}}));
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    ASSERT_TRUE(clients.back()->post(request_body("x", true)));
  }
  ASSERT_TRUE(server.has_requests(64));
  server.release("go");
  for (const auto& client : clients) EXPECT_EQ(client->receive().value_or(Response()).streamed_text(), "together");
}

TEST(ModelServer, EndsBySignalAlsoWhileItStalls) {
  RunningServer server(script_with({{{"stall", "before"}}}));
  RawClient client(server.port());
  ASSERT_TRUE(client.post(request_body("x", true)));
  ASSERT_TRUE(server.has_requests(1));
  server.process().kill(SIGTERM);
  EXPECT_EQ(server.process().wait(), 0);
}

class ModelServerArguments : public testing::Test {
 protected:
  ModelServerArguments() { CHECK(::mkdtemp(directory_.data()) != nullptr); }
  ~ModelServerArguments() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ + "/" + name) << text;
    return directory_ + "/" + name;
  }
  e2e::Process start(const std::vector<std::string>& arguments) const {
    e2e::Start start{.command = {MODEL_SERVER_BINARY}, .environment = {}};
    start.command.insert(start.command.end(), arguments.begin(), arguments.end());
    return e2e::Process(start);
  }
  // With a script that is fine, and these arguments besides.
  e2e::Process start_with(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--script",          file("fine.json", "{}"), "--log",
                                          directory_ + "/log", "--ready-file",          directory_ + "/ready"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return start(arguments);
  }

  std::string directory_ = "/tmp/model-server-XXXXXX";
};

TEST_F(ModelServerArguments, EndsWithTheProcessThatNeedsIt) {
  e2e::Process needed(e2e::Start{.command = {"/bin/sleep", "600"}, .environment = {}});
  e2e::Process server = start_with({"--parent", std::to_string(needed.pid())});
  ASSERT_TRUE(e2e::eventually([&] { return std::filesystem::exists(directory_ + "/ready"); })) << server.err();
  EXPECT_TRUE(server.is_running());
  needed.kill(SIGKILL);
  needed.wait();
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ModelServerArguments, MistakesAreExplained) {
  const std::string bad =
      file("bad.json", R"({"conversations": [{"match": {"model": "m"}, "turns": [{"txt": "x"}]}]})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "is missing"},
      {{"--scrip", "x"}, "unknown argument '--scrip'"},
      {{"--script"}, "--script needs a value"},
      {{"--script", bad, "--log", directory_ + "/log", "--ready-file", directory_ + "/ready"},
       "conversations[0].turns[0] has an unknown field 'txt'"},
  };
  for (const auto& [arguments, reason] : cases) {
    e2e::Process server = start(arguments);
    EXPECT_EQ(server.wait(), 2);
    EXPECT_NE(server.err().find(reason), std::string::npos) << server.err();
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> more = {
      {{"--port", "70000"}, "--port is not a number it can be"},
      {{"--port", "x"}, "--port is not a number it can be"},
      {{"--script", directory_ + "/absent"}, "absent cannot be read"},
      {{"--log", directory_ + "/absent/log"}, "No such file or directory"},
      {{"--ready-file", directory_ + "/absent/ready"}, "ready cannot be written"},
      {{"--parent", "999999999"}, "there is no process"},
  };
  for (const auto& [arguments, reason] : more) {
    e2e::Process server = start_with(arguments);
    EXPECT_NE(server.wait().value_or(0), 0);
    EXPECT_NE(server.err().find(reason), std::string::npos) << server.err();
  }
}

TEST_F(ModelServerArguments, ATakenPortIsAnError) {
  const RunningServer first(Json::object());
  e2e::Process second = start_with({"--port", std::to_string(first.port())});
  EXPECT_EQ(second.wait(), 1);
  EXPECT_NE(second.err().find("cannot listen on 127.0.0.1:"), std::string::npos) << second.err();
}

}  // namespace
}  // namespace teamster::model
