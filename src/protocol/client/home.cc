#include "protocol/client/home.h"

#include <fmt/format.h>

namespace teamster::hub {

Result<Home> Home::locate(const std::function<std::optional<std::string>(const char* name)>& variable) {
  const auto absolute = [](const char* name, const std::string& value, const char* rest) -> Result<Home> {
    if (value.empty() || value[0] != '/')
      return fail(Code::invalid, fmt::format("{} is '{}', not an absolute path", name, value),
                  "Set TEAMSTER_HOME to an absolute path");
    std::string path = value;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return Home(path + rest);
  };
  if (const auto home = variable("TEAMSTER_HOME"); home && !home->empty()) return absolute("TEAMSTER_HOME", *home, "");
  if (const auto state = variable("XDG_STATE_HOME"); state && !state->empty())
    return absolute("XDG_STATE_HOME", *state, "/teamster");
  if (const auto user = variable("HOME"); user && !user->empty())
    return absolute("HOME", *user, "/.local/state/teamster");
  return fail(Code::invalid, "neither TEAMSTER_HOME nor HOME is set", "Set TEAMSTER_HOME to an absolute path");
}

}  // namespace teamster::hub
