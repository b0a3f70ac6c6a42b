// What --json and lists say of a team that nobody runs any more: one of ours, or one that Claude Code left. Pure;
// for the commands of this directory.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "engine/left_teams.h"

namespace teamster::cli {

Json document_of(const engine::LeftTeam& team);
Json documents_of(const std::vector<engine::LeftTeam>& teams);
// With its members and tasks.
Json document_of(const engine::LeftTeam& left, const interop::ClaudeTeam& team);
// "; members a, b; tasks 1 pending"
std::string details_of(const interop::ClaudeTeam& team);

}  // namespace teamster::cli
