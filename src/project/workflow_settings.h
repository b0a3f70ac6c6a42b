// What the settings of a project say about one workflow: those below `workflows.NAME`. Pure; reading the files is
// settings.h's business.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "project/settings.h"
#include "workflow/format/configuration.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// Code::invalid, with file and line, when one is none of the workflow's or its value cannot be.
Result<workflow::Configuration> configuration_for(const workflow::Workflow& workflow,
                                                  const std::map<std::string, Setting>& settings);

}  // namespace teamster::engine
