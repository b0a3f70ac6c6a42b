#include "agent/driver_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/shell_words.h"

namespace teamster::agent {

Result<DriverChoice> DriverChoice::parse(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  DriverChoice choice{TRY(find_driver(text.substr(0, colon)))};
  if (colon == text.size()) return choice;
  if (!choice.driver->needs().command)
    return fail(Code::invalid, fmt::format("the driver {} takes no program", choice.driver->name()),
                fmt::format("Use {}, or 'command:PROGRAM ARGUMENTS'", choice.driver->name()));
  choice.command = TRY(split_words(text.substr(colon + 1)));
  return choice;
}

}  // namespace teamster::agent
