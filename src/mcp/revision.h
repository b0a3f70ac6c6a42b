// Revisions of MCP that are served, and what differs between them on the wire. Values.
// Up to 2025-11-25 a session begins with `initialize`; from 2026-07-28 on every request names
// its revision in `_meta` and stands for itself.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace teamster::mcp {

enum class Revision { r2025_06_18, r2025_11_25, r2026_07_28 };

struct RevisionName {
  Revision revision;
  std::string_view name;
};
// The newest first.
inline constexpr std::array kRevisions{RevisionName{Revision::r2026_07_28, "2026-07-28"},
                                       RevisionName{Revision::r2025_11_25, "2025-11-25"},
                                       RevisionName{Revision::r2025_06_18, "2025-06-18"}};
inline constexpr Revision kLastWithHandshake = Revision::r2025_11_25;

constexpr bool is_stateless(Revision revision) { return revision == Revision::r2026_07_28; }

constexpr std::string_view name_of(Revision revision) {
  for (const auto& entry : kRevisions)
    if (entry.revision == revision) return entry.name;
  return {};
}

constexpr std::optional<Revision> revision_named(std::string_view name) {
  for (const auto& entry : kRevisions)
    if (entry.name == name) return entry.revision;
  return std::nullopt;
}

namespace meta {
inline constexpr const char* kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta

}  // namespace teamster::mcp
