// The settings of a project: .teamster/config.yaml there, over the user's own config.yaml; what was
// given with --set is above both. A value; each setting knows where it came from.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "env/files.h"

namespace teamster::engine {

struct Setting {
  std::string value;
  std::string origin;      // a file, or "--set"
  std::string place = {};  // the same with line and column, where it has some
  bool is_list = false;    // and so has no value
};

// Of the environment of the process.
using Variable = std::function<std::optional<std::string>(const char* name)>;

// What was given with --set. Code::invalid: it is not NAME=VALUE.
Result<std::pair<std::string, std::string>> parse_setting(const std::string& given);

// By their names with dots: "checks.test". A broken file is an error with its place.
Result<std::map<std::string, Setting>> read_settings(env::Files& files, const Variable& variable,
                                                     const std::string& project, std::span<const std::string> given);

}  // namespace teamster::engine
