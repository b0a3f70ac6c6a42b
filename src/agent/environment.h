// The environment of an agent's process: what every program needs, its own directories,
// and only those secrets that were named. Pure but for the lookup.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/driver.h"
#include "base/result.h"

namespace teamster::agent {

enum class Login {
  inherit,  // the user's own login and configuration
  env,      // the driver's variables, and a configuration of the member's own
  file,     // as env, with the first login variable read from a file
};

struct EnvironmentOptions {
  Login login = Login::inherit;
  std::string login_file;            // of Login::file: holds the key
  std::vector<std::string> secrets;  // names of variables to pass on
  std::string home;                  // TEAMSTER_HOME for the team's tools
  std::string private_directory;
  std::string temporary_directory;
};

using Lookup = std::function<std::optional<std::string>(const char* name)>;

// A secret that is named and not set is an error.
Result<std::vector<std::string>> make_environment(const Driver& driver, const EnvironmentOptions& options,
                                                  const Lookup& lookup, const std::string& login_key);

}  // namespace teamster::agent
