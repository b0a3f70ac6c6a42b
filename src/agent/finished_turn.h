// What became of a prompt, from the transcript: after a crash of the host the agent may have
// answered it, and nobody wrote the answer down. Functions on files.
#pragma once

#include <optional>
#include <string>

#include "agent/hosted_member.h"
#include "env/files.h"

namespace teamster::agent {

// nullopt when the prompt was not answered, or not well: then it has to be said again.
std::optional<TurnResult> find_finished_turn(env::Files& files, const std::string& member_directory,
                                             const std::string& prompt);

}  // namespace teamster::agent
