#include "cli/framework/command.h"

namespace teamster::cli {

std::vector<Flag> common_flags(HubUse hub) {
  std::vector<Flag> flags;
  if (hub == HubUse::none) return flags;
  flags.push_back({.name = "json", .help = "Print one JSON document"});
  if (hub == HubUse::of_its_own) return flags;
  flags.push_back({.name = "token-file",
                   .value = "FILE",
                   .type = ValueType::file,
                   .help = "Act as the member whose token is in FILE (also: TEAMSTER_TOKEN_FILE)"});
  if (hub == HubUse::writes)
    flags.push_back({.name = "key", .value = "KEY", .help = "Idempotency key: a retry with the same key writes once"});
  return flags;
}

std::vector<Flag> all_flags(const Command& command) {
  std::vector<Flag> flags = command.flags;
  for (auto& flag : common_flags(command.hub)) flags.push_back(std::move(flag));
  return flags;
}

Flag team_flag() {
  return {.name = "team",
          .value = "TEAM",
          .type = ValueType::team,
          .help = "The team; a member's token implies it",
          .required = Required::by_operator};
}

Flag member_flag(std::string help) {
  return {.name = "member",
          .value = "MEMBER",
          .type = ValueType::member,
          .help = std::move(help) + "; a member's token implies it",
          .required = Required::by_operator};
}

Flag named_member_flag(std::string help) {
  return {.name = "member",
          .value = "MEMBER",
          .type = ValueType::member,
          .help = std::move(help),
          .required = Required::yes};
}

Flag named_members_flag(std::string help) {
  Flag flag = named_member_flag(std::move(help));
  flag.repeatable = true;
  return flag;
}

}  // namespace teamster::cli
