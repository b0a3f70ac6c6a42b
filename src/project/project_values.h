// What a run knows before it starts: the words of its command line, checked against the
// workflow's arguments, and the values that the workflow has looked up in the project. Functions
// on values; mistakes are told in the workflow's own words (`otherwise`) or with its usage.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "project/project.h"
#include "project/short_text.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

using Arguments = std::map<std::string, std::string>;
using Values = std::map<std::string, Json>;  // texts, and lists of texts
// A setting of the project's configuration by its name, as "checks.test".
using Settings = std::function<std::optional<std::string>(const std::string& name)>;

Result<Arguments> resolve_arguments(const workflow::Workflow& workflow, std::span<const std::string> words);

// In the order in which they are declared; a value may use those before it.
Result<Values> resolve_values(const Project& project, const workflow::Workflow& workflow, const Arguments& arguments,
                              const Settings& settings);

// `args/NAME` and `values/NAME`, as words. The result copies both.
SourceLookup sources_of(Arguments arguments, Values values);

}  // namespace teamster::engine
