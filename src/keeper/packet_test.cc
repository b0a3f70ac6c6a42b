#include "keeper/packet.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"

namespace teamster::keeper {
namespace {

Packet spawn_packet() {
  Packet packet{.kind = Packet::Kind::spawn, .child = 7};
  packet.spawn = {"/bin/sh", {"sh", "-c", "echo \"a\nb\""}, {"A=1", "B=\xC3\xA4", "EMPTY="}, "/tmp"};
  return packet;
}

TEST(Packet, ASpawnComesBackAsItWas) {
  const Packet packet = spawn_packet();
  const auto text = packet.encode();
  ASSERT_TRUE(text);
  const auto back = Packet::decode(*text);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->kind, Packet::Kind::spawn);
  EXPECT_EQ(back->child, 7);
  EXPECT_EQ(back->spawn.program, packet.spawn.program);
  EXPECT_EQ(back->spawn.arguments, packet.spawn.arguments);
  EXPECT_EQ(back->spawn.environment, packet.spawn.environment);
  EXPECT_EQ(back->spawn.directory, "/tmp");
}

TEST(Packet, EveryKindComesBackWithItsNumbers) {
  for (const Packet::Kind kind : {Packet::Kind::spawn, Packet::Kind::signal, Packet::Kind::end, Packet::Kind::started,
                                  Packet::Kind::failed, Packet::Kind::exited, Packet::Kind::gone}) {
    const Packet packet{.kind = kind, .child = 9'000'000'000, .number = -1, .signaled = kind == Packet::Kind::exited};
    const auto back = Packet::decode(packet.encode().value());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->kind, kind);
    EXPECT_EQ(back->child, 9'000'000'000);
    EXPECT_EQ(back->number, -1);
    EXPECT_EQ(back->signaled, kind == Packet::Kind::exited);
  }
}

TEST(Packet, OnlyASpawnCarriesAProgram) {
  Packet packet = spawn_packet();
  packet.kind = Packet::Kind::end;
  const auto back = Packet::decode(packet.encode().value());
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->spawn.program.empty());
  EXPECT_TRUE(back->spawn.environment.empty());
}

TEST(Packet, WhatDoesNotFitIsRefusedAndNamesTheProgram) {
  Packet packet = spawn_packet();
  packet.spawn.arguments.push_back(std::string(limits::kKeeperPacketMaxBytes, 'x'));
  const auto text = packet.encode();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::invalid);
  EXPECT_NE(text.error().what.find("/bin/sh"), std::string::npos);
  EXPECT_FALSE(text.error().next.empty());
}

// Written into the packet as it is, such a text would arrive as another one.
TEST(Packet, BytesThatJsonCannotCarryAreRefused) {
  for (const std::size_t part : {0U, 1U, 2U, 3U}) {
    Packet packet = spawn_packet();
    const std::string latin = "caf\xE9";
    if (part == 0) packet.spawn.program = latin;
    if (part == 1) packet.spawn.directory = latin;
    if (part == 2) packet.spawn.arguments.push_back(latin);
    if (part == 3) packet.spawn.environment.push_back("HOME=" + latin);
    const auto text = packet.encode();
    ASSERT_FALSE(text) << part;
    EXPECT_EQ(text.error().code, Code::invalid);
    EXPECT_NE(text.error().what.find("UTF-8"), std::string::npos) << text.error().what;
    const bool is_shown = text.error().what.find("caf") != std::string::npos;
    EXPECT_EQ(is_shown, part != 3) << "the value of a variable may be a secret: " << text.error().what;
  }
}

TEST(Packet, HostileTextIsAnErrorAndNothingElse) {
  const char* const texts[] = {
      "",
      "nonsense",
      "[]",
      "null",
      "\"spawn\"",
      "{}",
      R"({"kind":7,"child":1,"number":0})",
      R"({"kind":"","child":1,"number":0})",
      R"({"kind":"SPAWN","child":1,"number":0})",
      R"({"kind":"explode","child":1,"number":0})",
      R"({"kind":"end","number":0})",
      R"({"kind":"end","child":1})",
      R"({"kind":"end","child":"1","number":0})",
      R"({"kind":"end","child":1.5,"number":0})",
      R"({"kind":"end","child":1e30,"number":0})",
      R"({"kind":"end","child":99999999999999999999,"number":0})",
      R"({"kind":"exited","child":1,"number":0,"signaled":"yes"})",
      R"({"kind":"spawn","child":1,"number":0})",
      R"({"kind":"spawn","child":1,"number":0,"program":"/bin/sh","directory":"","arguments":"sh","environment":[]})",
      R"({"kind":"spawn","child":1,"number":0,"program":"/bin/sh","directory":"","arguments":["sh",1],"environment":[]})",
      R"({"kind":"spawn","child":1,"number":0,"program":"/bin/sh","directory":"","arguments":["sh"],"environment":{}})",
      R"({"kind":"spawn","child":1,"number":0,"program":"/bin/sh","directory":null,"arguments":["sh"]})",
  };
  for (const char* text : texts) {
    const auto packet = Packet::decode(text);
    ASSERT_FALSE(packet) << text;
    EXPECT_EQ(packet.error().code, Code::invalid) << text;
  }
  const std::string deep = std::string(100'000, '[');
  EXPECT_FALSE(Packet::decode(deep));
}

TEST(Packet, ACutPacketIsNone) {
  const std::string text = spawn_packet().encode().value();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(Packet::decode(std::string_view(text).substr(0, length))) << length;
}

}  // namespace
}  // namespace teamster::keeper
