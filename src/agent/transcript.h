// Transcript: what an agent said and did, as JSON lines in its member's directory
// (docs/formats/agent.md). Written for people who watch, and for nobody else: what must not be
// lost is in the journal. Not synced. Owned by HostedMember.
#pragma once

#include <cstdint>
#include <string>

#include "agent/session.h"
#include "base/json.h"
#include "env/clock.h"
#include "env/files.h"

namespace teamster::agent {

class Transcript {
 public:
  Transcript(env::Files& files, const env::Clock& clock, std::string path)
      : files_(files), clock_(clock), path_(std::move(path)) {}

  void turn_started(std::int64_t turn);
  // `prompt`: the id of what was asked, so that people find it in the journal; empty for everything else.
  void told(const std::string& input, const std::string& text, const std::string& prompt);
  void activity(const Activity& activity);
  void permission(const PermissionRequest& request, const PermissionAnswer& answer);
  void turn_ended(const TurnEnd& end, const Json& result);
  // Starts, ends and troubles of the process.
  void note(const std::string& text);

  static std::string file_in(const std::string& member_directory) { return member_directory + "/transcript.jsonl"; }

 private:
  void write(const char* kind, Json entry);

  env::Files& files_;
  const env::Clock& clock_;
  const std::string path_;
  std::int64_t turn_ = 0;
};

}  // namespace teamster::agent
