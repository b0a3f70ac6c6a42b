// The settings of a project: .teamster/config.yaml there, over the user's own config.yaml; what was
// given with --set is above both. A value; each setting knows where it came from.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "cli/framework/context.h"

namespace teamster::cli {

struct Setting {
  std::string value;
  std::string origin;  // a file, or "--set"
};

// By their names with dots: "checks.test". A broken file is an error with its place.
Result<std::map<std::string, Setting>> read_settings(const Context& context, const std::string& project,
                                                     std::span<const std::string> given);

}  // namespace teamster::cli
