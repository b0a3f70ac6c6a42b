#include "script/input.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster::script {
namespace {

template <class T>
T parse(std::string_view line) {
  const HostInput input = parse_input(line);
  const T* found = std::get_if<T>(&input);
  EXPECT_NE(found, nullptr) << line;
  return found != nullptr ? *found : T{};
}

TEST(HostInput, APromptIsTextOrBlocks) {
  EXPECT_EQ(parse<UserMessage>(R"({"type":"user","message":{"role":"user","content":"hi"}})").text, "hi");
  const auto blocks = parse<UserMessage>(
      R"({"message":{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"},5],"role":"user"},"type":"user","uuid":17})");
  EXPECT_EQ(blocks.text, "a\nb");
  EXPECT_EQ(blocks.uuid, 17);
  EXPECT_EQ(parse<UserMessage>(R"({"type":"user","message":{"role":"user"}})").text, "");
  EXPECT_FALSE(parse<UserMessage>(R"({"type":"user","message":{"role":"user"}})").has_uuid());
}

TEST(HostInput, PrioritiesAreNextUnlessSaid) {
  using Priority = UserMessage::Priority;
  const auto priority = [](const std::string& more) {
    return parse<UserMessage>(R"({"type":"user","message":{"role":"user","content":"x"})" + more + "}").priority;
  };
  EXPECT_EQ(priority(""), Priority::next);
  EXPECT_EQ(priority(R"(,"priority":"now")"), Priority::now);
  EXPECT_EQ(priority(R"(,"priority":"later")"), Priority::later);
  EXPECT_EQ(priority(R"(,"priority":"odd")"), Priority::next);
}

TEST(HostInput, ControlRequestsAndResponses) {
  const auto request = parse<ControlRequest>(
      R"({"type":"control_request","request_id":"r","request":{"subtype":"set_model","model":"m"}})");
  EXPECT_EQ(request.id, "r");
  EXPECT_EQ(request.subtype, "set_model");
  EXPECT_EQ(request.request["model"], "m");
  const auto response = parse<ControlResponse>(
      R"({"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow"}}})");
  EXPECT_FALSE(response.failed);
  EXPECT_EQ(response.response["behavior"], "allow");
  const auto failed = parse<ControlResponse>(
      R"({"type":"control_response","response":{"subtype":"error","request_id":"r","error":"no"}})");
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.error, "no");
}

TEST(HostInput, WhatTheRealOneIgnoresIsIgnored) {
  for (const char* line : {"", "  ", "[1,2]", "\"x\"", "5", "null", R"({"type":"nonsense"})", R"({"type":5})", "{}",
                           R"({"type":"user","message":{"role":"user","content":5}})", R"({"type":"keep_alive"})"})
    parse<Ignored>(line);
}

TEST(HostInput, WhatEndsTheRealOneEndsThis) {
  EXPECT_EQ(parse<Fatal>("not json").text, "Error parsing streaming input line (type=unknown, 8 chars): SyntaxError");
  EXPECT_EQ(parse<Fatal>(R"({"type":"user"})").text, "Error: Expected message role 'user', got 'undefined'");
  EXPECT_EQ(parse<Fatal>(R"({"type":"user","message":{"role":"assistant","content":"x"}})").text,
            "Error: Expected message role 'user', got 'assistant'");
  EXPECT_EQ(parse<Fatal>(R"({"type":"control_request"})").text, "Error: Missing request on control_request");
  parse<Fatal>(R"({"type":"user","message":{"role":"user","content":"cut)");
  parse<Fatal>(std::string(200, '['));
  parse<Fatal>("\"\xff\"");
}

}  // namespace
}  // namespace teamster::script
