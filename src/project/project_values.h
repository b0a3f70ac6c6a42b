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
#include "project/settings.h"
#include "project/short_text.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

using Arguments = std::map<std::string, std::string>;
// What a run is started with.
struct Given {
  std::string entry = {};  // of the workflow; empty: it has none
  Arguments arguments = {};
  std::map<std::string, Json> flags = {};  // a switch is true or false, else a text; not there: not given
};
// Flags as they were typed, without their dashes; of a switch the text is empty.
using TypedFlags = std::map<std::string, std::string>;
using Values = std::map<std::string, Json>;  // texts, and lists of texts
// A setting of the project's configuration by its name, as "checks.test".
using Settings = std::function<std::optional<std::string>(const std::string& name)>;

// The first word is the entry, where the workflow has some.
Result<Given> resolve_words(const workflow::Workflow& workflow, std::span<const std::string> words,
                            const TypedFlags& flags = {});

// Where values come from that the project does not have.
struct Surroundings {
  Settings settings;
  Variable variable;
};
// In the order in which they are declared; a value may use those before it.
Result<Values> resolve_values(const Project& project, const workflow::Workflow& workflow, const Given& given,
                              const Surroundings& surroundings);

// `args/NAME`, `flags/NAME`, `values/NAME` and `run/entry`, as words. The result copies all of them.
SourceLookup sources_of(Given given, Values values);

}  // namespace teamster::engine
