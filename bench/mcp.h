// MCP: what a call of a team tool costs over `teamster mcp`, beside an echo on the TypeScript
// SDK and beside the hub's own durable latency. One call of this is one round; every round
// starts its servers anew.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "bench/report.h"

namespace teamster::bench {

class TeamsterSubject;

inline constexpr const char* kSdkEcho = "TypeScript SDK echo";
inline constexpr const char* kHubClient = "hub client";

namespace mcp_measure {
inline constexpr const char* kSerial = "MCP calls: one at a time";
inline constexpr const char* kInFlight = "MCP calls: 64 in flight";
inline constexpr const char* kCpu = "MCP server's processor time per call";
inline constexpr const char* kStart = "MCP start to initialize answer";
inline constexpr const char* kIdle = "MCP server memory, idle";
inline constexpr const char* kAfter = "MCP server memory, after the calls";
inline constexpr const char* kWrite = "MCP durable send: one at a time";
}  // namespace mcp_measure

// `echo` is the directory of the installed peer; it is left out, and noted, when it is not there.
Result<void> measure_mcp(TeamsterSubject& subject, const std::string& echo, Duration cell_time, Report& report);

}  // namespace teamster::bench
