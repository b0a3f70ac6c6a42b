#include "keeper/packet.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"

namespace teamster::keeper {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {"spawn", "signal", "end", "started", "failed", "exited", "gone"};

Result<std::vector<std::string>> texts_in(const Json& packet, const char* field) {
  const auto list = packet.find(field);
  if (list == packet.end() || !list->is_array()) return fail(Code::invalid, fmt::format("'{}' is not a list", field));
  std::vector<std::string> texts;
  for (const auto& text : *list) {
    if (!text.is_string()) return fail(Code::invalid, fmt::format("'{}' is not a list of texts", field));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

Result<env::Spawn> spawn_in(const Json& packet) {
  env::Spawn spawn;
  spawn.program = TRY(string_field(packet, "program"));
  spawn.directory = TRY(string_field(packet, "directory"));
  spawn.arguments = TRY(texts_in(packet, "arguments"));
  spawn.environment = TRY(texts_in(packet, "environment"));
  return spawn;
}

// JSON carries UTF-8 alone; other bytes would arrive as something else.
Result<void> check_texts(const env::Spawn& spawn) {
  const auto check = [&](const std::string& text, const std::string& shown) -> Result<void> {
    if (!find_invalid_utf8(text)) return {};
    return fail(Code::invalid,
                fmt::format("cannot start {}: {} is not UTF-8", quoted(spawn.program, 200), quoted(shown, 200)),
                "Use names and values in UTF-8");
  };
  TRY_VOID(check(spawn.program, spawn.program));
  TRY_VOID(check(spawn.directory, spawn.directory));
  for (const auto& text : spawn.arguments) TRY_VOID(check(text, text));
  // Of a variable its name alone: the value may be a secret.
  for (const auto& text : spawn.environment) TRY_VOID(check(text, text.substr(0, text.find('='))));
  return {};
}

}  // namespace

Result<std::string> Packet::encode() const {
  Json packet = {{"kind", kKinds[static_cast<std::size_t>(kind)]}, {"child", child}, {"number", number}};
  if (signaled) packet["signaled"] = true;
  if (kind == Kind::spawn) {
    TRY_VOID(check_texts(spawn));
    packet["program"] = spawn.program;
    packet["directory"] = spawn.directory;
    packet["arguments"] = spawn.arguments;
    packet["environment"] = spawn.environment;
  }
  std::string text = dump_json(packet);
  if (text.size() > limits::kKeeperPacketMaxBytes)
    return fail(Code::invalid,
                fmt::format("arguments and environment of {} take {} bytes, the limit is {}", spawn.program,
                            text.size(), limits::kKeeperPacketMaxBytes),
                "Pass long texts in files");
  return text;
}

Result<Packet> Packet::decode(std::string_view text) {
  const Json json = TRY(parse_json(text));
  const std::string name = TRY(string_field(json, "kind"));
  Packet packet;
  const auto* const kind = std::find(kKinds.begin(), kKinds.end(), name);
  if (kind == kKinds.end()) return fail(Code::invalid, fmt::format("unknown packet '{}'", name));
  packet.kind = static_cast<Kind>(kind - kKinds.begin());
  packet.child = TRY(integer_field(json, "child"));
  packet.number = TRY(integer_field(json, "number"));
  packet.signaled = TRY(flag_field(json, "signaled"));
  if (packet.kind == Kind::spawn) packet.spawn = TRY(spawn_in(json));
  return packet;
}

}  // namespace teamster::keeper
