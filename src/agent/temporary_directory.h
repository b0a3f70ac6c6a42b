// Where an agent keeps its temporary files. Sockets that agents make there have paths of at most 107 bytes, so it is in
// the member's directory where that is short enough, and below /tmp for a home with a long path. Pure names.
#pragma once

#include <string>

#include "protocol/client/home.h"

namespace teamster::agent {

// Holds those of all members of a home with a long path. Whoever throws a home away removes it too.
std::string temporary_root_of(const hub::Home& home);

std::string temporary_directory_of(const hub::Home& home, const std::string& team, const std::string& member);

}  // namespace teamster::agent
