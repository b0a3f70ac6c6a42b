// Whose home it is: after a command that root has run in the home of a user, files there are root's and the user is
// refused. Finds the file and says how to get the home back. Looks at the files, changes nothing.
#pragma once

#include <optional>

#include "base/result.h"
#include "env/files.h"
#include "protocol/client/home.h"

namespace teamster::hub {

// Names the first file that another user keeps from this one. nullopt: there is none, or this is root.
std::optional<Error> kept_by_another(env::Files& files, const Home& home);

// The same in place of an error that says no more than that something is refused.
Error explained(env::Files& files, const Home& home, const Error& error);

}  // namespace teamster::hub
